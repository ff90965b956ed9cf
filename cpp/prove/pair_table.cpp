#include "prove/pair_table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

PairTables::PairTables(BinaryFeatures&& questions, RowGroups&& groups)
    : questions_(std::move(questions)),
      groups_(std::move(groups)),
      kernels_(kernels().pair) {
  const std::size_t n = questions_.size();
  row_start_.assign(n + 1, 0);
  for (std::size_t q = 0; q < n; ++q) row_start_[q + 1] = row_start_[q] + n - q;
  counted_.resize(n);
  single_.assign(n_classes(), std::vector<i32>(n));
}

void PairTables::clear(CountedRows& node) const {
  node.n = 0;
  node.key = {};
  node.weight = 0;
  node.rows.clear();
  node.end_of.clear();
  node.n_of.assign(n_classes(), 0);
  node.counted = false;
}

// The rows since the last end, up to n of them, are of that group.
void PairTables::end_group(CountedRows& node, std::size_t group, u32 n) const {
  const RowGroups::Group& g = groups_.groups[group];
  node.n_of[g.label] += g.times * static_cast<i32>(n - node.n);
  node.end_of.push_back(n);
  node.n = n;
}

const CountedRows* PairTables::make(std::span<const u32> rows, StopToken& stop) {
  const Hash128 key = RowHasher()(rows);
  if (root_.counted && root_.key == key) return &root_;
  std::vector<std::vector<u32>> by_group(groups_.groups.size());
  for (const u32 i : rows) by_group[groups_.group_of[i]].push_back(i);
  clear(root_);
  for (std::size_t g = 0; g < by_group.size(); ++g) {
    root_.rows.insert(root_.rows.end(), by_group[g].begin(), by_group[g].end());
    end_group(root_, g, static_cast<u32>(root_.rows.size()));
  }
  root_.weight = groups_.weight(root_.n_of);
  root_.key = key;
  return count(root_, stop) ? &root_ : nullptr;
}

bool PairTables::count(CountedRows& node, StopToken& stop) {
  node.pairs.resize(n_classes() * row_start_.back());
  StopPoller poller(stop);
  std::vector<u8> begun(n_classes(), 0);
  u32 first = 0;
  for (std::size_t g = 0; g < node.end_of.size(); ++g) {
    const std::span<const u32> rows{node.rows.data() + first, node.end_of[g] - first};
    first = node.end_of[g];
    const u32 label = groups_.groups[g].label;
    if (rows.empty()) continue;
    if (!count_group(node, rows, groups_.groups[g], begun[label] == 0, poller))
      return false;
    begun[label] = 1;
  }
  for (std::size_t k = 0; k < n_classes(); ++k)
    if (begun[k] == 0) std::fill_n(pairs_of(node, k, 0), row_start_.back(), 0);
  node.counted = true;
  return true;
}

// The first group of a class is written where the others are added.
bool PairTables::count_group(CountedRows& node, std::span<const u32> rows,
                             const RowGroups::Group& group, bool first,
                             StopPoller& poller) {
  const std::size_t stride = questions_.stride(), n_questions = questions_.size();
  const std::size_t n_words = BinaryFeatures::words_of(rows.size());
  columns_.resize(std::max(columns_.size(), n_words * stride));
  questions_.columns(rows, columns_.data());
  for (std::size_t q = 0; q < n_questions; ++q) {
    const u64* column = columns_.data() + q;
    const std::size_t n = n_questions - q;
    i32* out = pairs_of(node, group.label, q);
    kernels_.count(column, column, stride, n_words, first ? out : counted_.data(), n);
    if (first && group.times != 1)
      for (std::size_t j = 0; j < n; ++j) out[j] *= group.times;
    for (std::size_t j = 0; !first && j < n; ++j) out[j] += group.times * counted_[j];
    if (poller.add_work(n_words * n)) return false;
  }
  return true;
}

// Every row is written on both sides and stays on one of them: which one is random.
void PairTables::divide(const CountedRows& parent, std::size_t question,
                        CountedRows& smaller, CountedRows& larger) {
  CountedRows &yes = smaller, &no = larger;  // they change places if it is not
  clear(yes);
  clear(no);
  sides_.resize(2 * (parent.rows.size() + 1));
  u32* const yes_rows = sides_.data();
  u32* const no_rows = yes_rows + parent.rows.size() + 1;
  u32 at = 0, n_yes = 0;
  for (std::size_t g = 0; g < parent.end_of.size(); ++g) {
    for (; at < parent.end_of[g]; ++at) {
      const u32 row = parent.rows[at];
      yes_rows[n_yes] = row;
      no_rows[at - n_yes] = row;
      n_yes += questions_.yes(row, question) ? 1 : 0;
    }
    end_group(yes, g, n_yes);
    end_group(no, g, at - n_yes);
  }
  yes.rows.assign(yes_rows, yes_rows + n_yes);
  no.rows.assign(no_rows, no_rows + (at - n_yes));
  yes.weight = groups_.weight(yes.n_of);
  no.weight = groups_.weight(no.n_of);
  if (2 * yes.n > parent.n) std::swap(smaller, larger);
  smaller.key = RowHasher()(smaller.rows);
  larger.key = parent.key - smaller.key;
}

bool PairTables::count_smaller(StopToken& stop, CountedRows& smaller) {
  return smaller.counted || count(smaller, stop);
}

bool PairTables::count_larger(const CountedRows& parent, StopToken& stop,
                              CountedRows& smaller, CountedRows& larger) {
  if (!count_smaller(stop, smaller)) return false;
  larger.pairs.resize(parent.pairs.size());
  for (std::size_t i = 0; i < parent.pairs.size(); ++i)
    larger.pairs[i] = parent.pairs[i] - smaller.pairs[i];
  larger.counted = true;
  return true;
}

template <class T, class Rate>
void PairTables::rate_with(const CountedRows& rows, i32 least, T none, Rate rate,
                           std::vector<T>& yes, std::vector<T>& no) {
  const std::size_t n = questions_.size();
  yes.assign(n, none);
  no.assign(n, none);
  std::vector<i32> own(n_classes());
  std::vector<const i32*> both(n_classes()), single(n_classes());
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t k = 0; k < n_classes(); ++k) {
      own[k] = single_[k][q];
      both[k] = &rows.pairs[k * row_start_.back() + row_start_[q]] + 1;
      single[k] = single_[k].data() + q + 1;
    }
    const PairRow row{n - q - 1,  n_classes(),      both.data(),         single.data(),
                      own.data(), rows.n_of.data(), groups_.unit.data(), least};
    const StumpLosses<T> found = rate(row, yes.data() + q + 1, no.data() + q + 1);
    yes[q] = std::min(yes[q], found.yes);
    no[q] = std::min(no[q], found.no);
  }
}

void PairTables::rate_stumps(const CountedRows& rows, u32 least) {
  for (std::size_t k = 0; k < n_classes(); ++k)
    for (std::size_t q = 0; q < questions_.size(); ++q)
      single_[k][q] = both(rows, k, q, q);
  const auto least_rows = static_cast<i32>(least);
  const std::vector<double>& unit = groups_.unit;
  const bool one_unit =
      std::all_of(unit.begin(), unit.end(), [&](double u) { return u == unit[0]; });
  if (!one_unit)
    return rate_with(rows, least_rows, kInf, kernels_.rate_weights, yes_, no_);
  rate_with(rows, least_rows, kImpossible,
            n_classes() == 2 ? kernels_.rate_two : kernels_.rate_counts, yes_counts_,
            no_counts_);
  const auto widen = [&](i32 loss) {
    return loss >= kImpossible ? kInf : unit[0] * loss;
  };
  yes_.resize(yes_counts_.size());
  no_.resize(no_counts_.size());
  std::transform(yes_counts_.begin(), yes_counts_.end(), yes_.begin(), widen);
  std::transform(no_counts_.begin(), no_counts_.end(), no_.begin(), widen);
}

}  // namespace dpdtree
