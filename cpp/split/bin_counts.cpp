#include "split/bin_counts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dpdtree {
namespace {

constexpr std::size_t kBins = CoarseCodes::kBins;

// add(word, row) for all rows.
template <class Add>
void for_rows(const u32* words, std::span<const Row> rows, Add add) {
  constexpr std::size_t kAhead = 32;
  const std::size_t n = rows.size();
  std::size_t i = 0;
  for (; i + kAhead < n; ++i) {
    __builtin_prefetch(words + rows[i + kAhead]);
    add(words[rows[i]], rows[i]);
  }
  for (; i < n; ++i) add(words[rows[i]], rows[i]);
}

template <std::size_t n_lanes>
void count_lanes(const u32* words, const u16* label, std::span<const Row> rows,
                 u64* counts) {
  for_rows(words, rows, [=](u32 word, Row r) {
    const u64 one = u64{label[r]} << 32 | 1;
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      counts[kBins * lane + (word >> (8 * lane) & (kBins - 1))] += one;
  });
}

template <std::size_t n_lanes>
void count_lanes_by_class(const u32* words, const u16* label, std::span<const Row> rows,
                          u32 n_classes, u32* counts) {
  for_rows(words, rows, [=](u32 word, Row r) {
    const u32 k = label[r];
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      ++counts[n_classes * (kBins * lane + (word >> (8 * lane) & (kBins - 1))) + k];
  });
}

// Of two classes, known in advance, or of any number (0).
template <std::size_t n_lanes, u32 two>
void weigh_lanes(const u32* words, const Targets& t, std::span<const Row> rows,
                 u32* counts, double* weights) {
  const u32 n_classes = two > 0 ? two : t.n_classes;
  for_rows(words, rows,
           [=, label = t.label.data(), weight = t.weight.data()](u32 word, Row r) {
             const u32 k = label[r];
             const double w = weight[r];
             for (std::size_t lane = 0; lane < n_lanes; ++lane) {
               const std::size_t bin =
                   kBins * lane + (word >> (8 * lane) & (kBins - 1));
               ++counts[bin];
               weights[n_classes * bin + k] += w;
             }
           });
}

using LaneSums = std::array<double*, CoarseCodes::kLanes>;

template <std::size_t n_lanes>
void sum_lanes(const u32* words, const double* y, std::span<const Row> rows,
               const LaneSums& moments) {
  for_rows(words, rows, [=](u32 word, Row r) {
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      double* bin = moments[lane] + 2 * (word >> (8 * lane) & (kBins - 1));
      bin[0] += y[r];
      bin[1] += 1;
    }
  });
}

template <std::size_t n_lanes>
void sum_all_lanes(const u32* words, const CoarseCodes& codes, const Targets& t,
                   std::span<const Row> rows, const LaneSums& moments) {
  for_rows(words, rows, [&](u32 word, Row r) {
    const double w = t.weight_of(r), y = t.y[r];
    const double sum = t.moment(w, y), square = codes.square(w, y);
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
      double* bin = moments[lane] + 4 * (word >> (8 * lane) & (kBins - 1));
      bin[0] += sum;
      bin[1] += 1;
      bin[2] += w;
      bin[3] += square;
    }
  });
}

// Of one group of features, or of a part of its rows.
struct GroupCounts {
  std::span<u64> counts;
  std::span<u32> by_class;
  std::span<u32> rows;
  std::span<double> weights;
  std::span<double> moments;
  std::array<double*, CoarseCodes::kLanes> of_lane{};  // among the moments
};

template <std::size_t n_lanes>
void count_group(const CoarseCodes& codes, const CoarseCodes::Group& group,
                 const Targets& t, std::span<const Row> rows, const GroupCounts& out) {
  const u32* words = group.words.data();
  if (group.n_sums == CoarseCodes::kPlainSums)
    return sum_lanes<n_lanes>(words, t.y.data(), rows, out.of_lane);
  if (group.n_sums == CoarseCodes::kAllSums)
    return sum_all_lanes<n_lanes>(words, codes, t, rows, out.of_lane);
  if (!out.weights.empty()) {
    u32* n = out.rows.data();
    double* weights = out.weights.data();
    return t.n_classes == 2 ? weigh_lanes<n_lanes, 2>(words, t, rows, n, weights)
                            : weigh_lanes<n_lanes, 0>(words, t, rows, n, weights);
  }
  const u16* label = t.label.data();
  if (out.by_class.empty())
    count_lanes<n_lanes>(words, label, rows, out.counts.data());
  else
    count_lanes_by_class<n_lanes>(words, label, rows, t.n_classes, out.by_class.data());
}

void count_group(const CoarseCodes& codes, std::size_t g, const Targets& t,
                 std::span<const Row> rows, const GroupCounts& out) {
  const CoarseCodes::Group& group = codes.groups()[g];
  switch (group.features.size()) {
    case 1:
      return count_group<1>(codes, group, t, rows, out);
    case 2:
      return count_group<2>(codes, group, t, rows, out);
    case 3:
      return count_group<3>(codes, group, t, rows, out);
    default:
      return count_group<4>(codes, group, t, rows, out);
  }
}

template <class T>
std::span<T> part_of(UninitializedVector<T>& all, std::size_t group,
                     std::size_t n_groups) {
  const std::size_t each = all.size() / n_groups;
  return {all.data() + group * each, each};
}

// The moments of a group, as long as those of all; `all` may hold these of it alone.
GroupCounts moments_of(const CoarseCodes& codes, std::size_t group,
                       std::span<double> all) {
  GroupCounts out;
  const std::size_t slot = group * CoarseCodes::kLanes;
  const std::size_t begin = codes.first_moment(slot);
  out.moments = all;
  for (std::size_t lane = 0; lane < CoarseCodes::kLanes; ++lane)
    out.of_lane[lane] = all.data() + (codes.first_moment(slot + lane) - begin);
  return out;
}

template <class T>
void add(std::span<T> sums, const std::vector<T>& part) {
  for (std::size_t i = 0; i < part.size(); ++i) sums[i] += part[i];
}

template <class T>
void subtract(const UninitializedVector<T>& whole, const UninitializedVector<T>& part,
              UninitializedVector<T>& rest) {
  const T *from = whole.data(), *less = part.data();
  T* to = rest.data();
  for (std::size_t i = 0; i < rest.size(); ++i) to[i] = from[i] - less[i];
}

}  // namespace

BinCounts::BinCounts(const CoarseCodes& codes, std::span<const u32> features,
                     const Targets& t)
    : has_group(codes.groups().size(), 0) {
  const std::size_t n_bins = kBins * codes.n_slots();
  if (!t.classification()) {
    moments.resize(codes.first_moment(codes.n_slots()));
  } else if (t.weighted()) {
    rows.resize(n_bins);
    weights.resize(n_bins * t.n_classes);
  } else if (t.n_classes == 2) {
    counts.resize(n_bins);
  } else {
    by_class.resize(n_bins * t.n_classes);
  }
  for (const u32 f : features)
    if (codes.slot(f) >= 0)
      has_group[static_cast<std::size_t>(codes.slot(f)) / CoarseCodes::kLanes] = 1;
}

bool BinCounts::empty() const {
  return std::find(has_group.begin(), has_group.end(), 1) == has_group.end();
}

bool BinCounts::has_groups_of(const BinCounts& o) const {
  for (std::size_t g = 0; g < has_group.size(); ++g)
    if (o.has_group[g] > has_group[g]) return false;
  return true;
}

bool count_rows(const CoarseCodes& codes, const Targets& targets,
                std::span<const Row> rows, ThreadPool* pool,
                const std::function<bool()>& stopped, BinCounts& out) {
  std::fill(out.counts.begin(), out.counts.end(), u64{0});
  std::fill(out.by_class.begin(), out.by_class.end(), 0u);
  std::fill(out.rows.begin(), out.rows.end(), 0u);
  std::fill(out.weights.begin(), out.weights.end(), 0.0);
  std::fill(out.moments.begin(), out.moments.end(), 0.0);
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < out.has_group.size(); ++g)
    if (out.has_group[g] != 0) groups.push_back(g);
  const auto sums = [&](std::size_t g) {
    const std::size_t n = out.has_group.size();
    if (out.moments.empty())
      return GroupCounts{part_of(out.counts, g, n),
                         part_of(out.by_class, g, n),
                         part_of(out.rows, g, n),
                         part_of(out.weights, g, n),
                         {}};
    const std::size_t begin = codes.first_moment(g * CoarseCodes::kLanes);
    const std::size_t end = codes.first_moment((g + 1) * CoarseCodes::kLanes);
    return moments_of(codes, g, {out.moments.data() + begin, end - begin});
  };
  if (pool == nullptr) {
    for (const std::size_t g : groups) {
      if (stopped()) return false;
      count_group(codes, g, targets, rows, sums(g));
    }
    return true;
  }
  // Pieces of rows as well, where groups are few.
  const std::size_t pieces =
      groups.size() >= 4 * pool->size() ? 1 : n_pieces(pool, rows.size());
  std::mutex mutex;
  bool complete = true;
  pool->parallel_for(pieces * groups.size(), [&](std::size_t task, unsigned) {
    const std::size_t g = groups[task / pieces], p = task % pieces;
    const std::size_t begin = rows.size() * p / pieces;
    const std::size_t end = rows.size() * (p + 1) / pieces;
    std::vector<u64> counts(sums(g).counts.size());
    std::vector<u32> by_class(sums(g).by_class.size());
    std::vector<u32> n(sums(g).rows.size());
    std::vector<double> weights(sums(g).weights.size());
    std::vector<double> moments(sums(g).moments.size());
    const bool stop = stopped();
    GroupCounts own{counts, by_class, n, weights, {}};
    if (!moments.empty()) own = moments_of(codes, g, moments);
    if (!stop) count_group(codes, g, targets, rows.subspan(begin, end - begin), own);
    const std::lock_guard lock(mutex);
    complete &= !stop;
    add(sums(g).counts, counts);
    add(sums(g).by_class, by_class);
    add(sums(g).rows, n);
    add(sums(g).weights, weights);
    add(sums(g).moments, moments);
  });
  return complete;
}

BinCountCache::BinCountCache(const CoarseCodes& codes, const Targets& t) {
  constexpr std::size_t kMostEntries = 32, kMostBytes = std::size_t{64} << 20;
  std::size_t each = sizeof(u32) * t.n_classes * kBins * codes.n_slots();
  if (!t.classification())
    each = sizeof(double) * codes.first_moment(codes.n_slots());
  else if (t.weighted())
    each = (sizeof(u32) + sizeof(double) * t.n_classes) * kBins * codes.n_slots();
  capacity_ = std::min(kMostEntries, kMostBytes / std::max<std::size_t>(each, 1));
}

BinCountCache::Counts BinCountCache::find(const Hash128& node,
                                          const BinCounts& wanted) const {
  for (const Entry& e : entries_)
    if (e.node == node && e.counts->has_groups_of(wanted)) return e.counts;
  return nullptr;
}

bool BinCountCache::fill(const Hash128& node, BinCounts& out) {
  Counts whole, part;
  {
    const std::lock_guard lock(mutex_);
    whole = find(node, out);
    for (std::size_t i = entries_.size(); whole == nullptr && i-- > 0;) {
      if (!entries_[i].counts->has_groups_of(out)) continue;
      part = find(entries_[i].node - node, out);
      if (part == nullptr) continue;
      whole = entries_[i].counts;
      if (i == 0) continue;
      const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(at, at + 1, entries_.end());
    }
  }
  if (whole == nullptr) return false;
  if (part == nullptr) {
    out.counts = whole->counts;
    out.by_class = whole->by_class;
    out.rows = whole->rows;
    out.weights = whole->weights;
    out.moments = whole->moments;
    return true;
  }
  subtract(whole->counts, part->counts, out.counts);
  subtract(whole->by_class, part->by_class, out.by_class);
  subtract(whole->rows, part->rows, out.rows);
  subtract(whole->weights, part->weights, out.weights);
  subtract(whole->moments, part->moments, out.moments);
  return true;
}

void BinCountCache::keep(const Hash128& node, Counts counts) {
  const std::lock_guard lock(mutex_);
  if (capacity_ == 0 || find(node, *counts) != nullptr) return;
  // The first, the root's as a rule, stay: what folds hold out leaves theirs of them.
  const std::ptrdiff_t oldest = capacity_ > 1 ? 1 : 0;
  if (entries_.size() >= capacity_) entries_.erase(entries_.begin() + oldest);
  entries_.push_back({node, std::move(counts)});
}

}  // namespace dpdtree
