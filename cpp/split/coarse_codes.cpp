#include "split/coarse_codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace dpdtree {
namespace {

constexpr std::size_t kLeastRows = 2048;
constexpr std::size_t kLeastNumbers = 256;
constexpr std::size_t kMostRows = 90'000'000;  // their square is exact as a double

// Where a bin would hold but a few values histograms of the values are faster, …
constexpr u32 kLeastShared = 8 * CoarseCodes::kBins;

// … and where it has to count more than two classes of one. Where values are missing,
// their cells come from a parent's, too.
bool suits(const Column& column, const ScanKeys& keys, bool weighted) {
  if (column.order.by_position()) return keys.in_use || weighted;
  return column.n_codes() > kLeastShared ||
         (column.n_codes() <= CoarseCodes::kBins && keys.class_bits < 2 &&
          column.n_missing == 0);
}

// What is missing is in none of the bins that nodes join: 2^3 at most.
constexpr u32 kBinOfMissing = CoarseCodes::kBins - 8;

bool may_have_bins(const Column& column, const Targets& targets) {
  return !column.categorical && column.n_codes() >= 2 &&
         (column.n_missing == 0 || targets.classification());
}

// Numbers may be so far apart that their squares have no grid.
Grid grid_of_squares(const Targets& t, std::size_t n_rows) {
  double y = 0, w = t.weighted() ? 0 : 1;
  for (const double v : t.y) y = std::max(y, std::fabs(v));
  for (const double v : t.weight) w = std::max(w, v);
  return {w * y * y, n_rows};
}

// The bin of each code, given which code is the first of each bin.
std::vector<u8> bins_of_codes(const std::vector<u32>& first_code) {
  std::vector<u8> bin(first_code.back());
  for (std::size_t b = 0; b + 1 < first_code.size(); ++b)
    std::fill(bin.begin() + first_code[b], bin.begin() + first_code[b + 1],
              static_cast<u8>(b));
  return bin;
}

}  // namespace

CoarseCodes::CoarseCodes(const std::vector<Column>& columns,
                         const std::vector<ScanKeys>& keys, const Targets& targets,
                         std::size_t n_rows, ThreadPool& pool)
    : n_rows_(n_rows), slot_(columns.size(), -1), bins_(columns.size()) {
  const bool numbers = !targets.classification();
  if (n_rows < (numbers ? kLeastNumbers : kLeastRows) || n_rows > kMostRows) return;
  const auto bits = static_cast<u32>(std::bit_width(n_rows - 1));
  shift_ = bits - static_cast<u32>(std::bit_width(kBins - 1));
  if (numbers) {
    squares_ = grid_of_squares(targets, n_rows);
    group_numbers(columns, targets);
  } else {
    for (u32 f = 0; f < columns.size(); ++f) {
      if (!may_have_bins(columns[f], targets) ||
          !suits(columns[f], keys[f], targets.weighted()))
        continue;
      add_to_group(f, 0);
      has_positions_ |= columns[f].order.by_position() && columns[f].n_missing == 0;
    }
  }
  pool.parallel_for(columns.size(), [&](std::size_t f, unsigned) {
    if (slot_[f] >= 0) bins_[f] = make_bins(columns[f]);
  });
  if (numbers) {
    first_moment_.assign(n_slots() + 1, 0);
    for (const Group& group : groups_)
      for (const u32 f : group.features)
        first_moment_[static_cast<std::size_t>(slot_[f]) + 1] =
            std::size_t{group.n_sums} * bins_[f].n;
    std::partial_sum(first_moment_.begin(), first_moment_.end(), first_moment_.begin());
  }
  pool.parallel_for(groups_.size(),
                    [&](std::size_t g, unsigned) { fill(columns, groups_[g], pool); });
}

void CoarseCodes::add_to_group(u32 f, u32 n_sums) {
  if (groups_.empty() || groups_.back().features.size() == kLanes ||
      groups_.back().n_sums != n_sums) {
    groups_.emplace_back();
    groups_.back().n_sums = n_sums;
  }
  std::vector<u32>& features = groups_.back().features;
  slot_[f] = static_cast<i32>(kLanes * (groups_.size() - 1) + features.size());
  features.push_back(f);
}

// Columns of few values first: what is summed up is the same for all of a group.
void CoarseCodes::group_numbers(const std::vector<Column>& columns,
                                const Targets& targets) {
  const auto is_own = [&](u32 f) { return columns[f].n_codes() <= kBins; };
  for (u32 f = 0; f < columns.size(); ++f)
    if (may_have_bins(columns[f], targets) && is_own(f))
      add_to_group(f, targets.weighted() ? kAllSums : kPlainSums);
  if (n_rows_ < kLeastRows || squares_.unit() == 0) return;
  for (u32 f = 0; f < columns.size(); ++f)
    if (may_have_bins(columns[f], targets) && columns[f].n_codes() > kLeastShared)
      add_to_group(f, kAllSums);
}

CoarseCodes::Bins CoarseCodes::make_bins(const Column& column) const {
  Bins bins;
  bins.missing = column.n_missing > 0;
  if (column.order.by_position() && !bins.missing) {
    bins.n = static_cast<u32>((n_rows_ - 1) >> shift_) + 1;
    return bins;
  }
  const u32 n_codes = column.n_codes();
  bins.layout = n_codes <= kBins ? Layout::own : Layout::shared;
  bins.n = std::min(n_codes, kBins);
  if (bins.layout == Layout::shared) share_bins(column, bins);
  return bins;
}

// A bin starts with each so many positions.
void CoarseCodes::share_bins(const Column& column, Bins& bins) const {
  const u32 n_codes = column.n_values;
  const std::size_t n_rows = n_rows_ - column.n_missing;
  std::vector<u32> count(column.n_codes(), 0);
  visit_codes(column.code, [&](const auto* code) {
    for (std::size_t r = 0; r < n_rows_; ++r) ++count[code[r]];
  });
  const auto share = [&](std::size_t position) {
    return bins.missing ? position * kBinOfMissing / n_rows : position >> shift_;
  };
  std::size_t position = 0;
  bins.n = 0;
  for (u32 c = 0; c < n_codes && position < n_rows; ++c) {
    if (c == 0 || share(position) != share(position - count[c - 1])) {
      bins.first_code.push_back(c);
      ++bins.n;
    }
    position += count[c];
  }
  bins.first_code.push_back(n_codes);
  if (!bins.missing) return;
  bins.first_code.resize(kBinOfMissing + 1, n_codes);  // nothing is in those between
  bins.first_code.push_back(n_codes + 1);
  bins.n = kBinOfMissing + 1;
}

void CoarseCodes::fill(const std::vector<Column>& columns, Group& group,
                       ThreadPool& pool) const {
  group.words.resize(n_rows_);
  for_pieces(
      &pool, n_rows_, n_pieces(&pool, n_rows_),
      [&](std::size_t begin, std::size_t end, std::size_t) {
        u32* words = group.words.data();
        std::fill(words + begin, words + end, 0u);
        for (u32 lane = 0; lane < group.features.size(); ++lane) {
          const u32 f = group.features[lane];
          const auto write = [&](auto bin) {
            visit_codes(columns[f].code, [&](const auto* code) {
              for (std::size_t r = begin; r < end; ++r)
                words[r] |= static_cast<u32>(bin(code[r])) << (8 * lane);
            });
          };
          if (bins_[f].layout == Layout::positions)
            write([shift = shift_](u32 c) { return c >> shift; });
          else if (bins_[f].layout == Layout::own)
            write([](u32 c) { return c; });
          else
            write([bin = bins_of_codes(bins_[f].first_code)](u32 c) { return bin[c]; });
        }
      });
}

}  // namespace dpdtree
