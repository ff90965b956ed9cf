// Bins of numbers, for squared errors: rows and their sums. Targets are rounded so that
// sums are exact (see targets.hpp), so any order of adding up, and the difference of a
// parent and a sibling, gives the very sums that a look at all rows does.
#pragma once

#include <algorithm>

#include "split/accumulators.hpp"
#include "split/feasible.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

using NumberSums = PrefixAccumulator<false, false>;

// LeftSums [0, m) of `b` become those behind each of the m bins. Returns m.
inline std::size_t write_moments(const NodeBins& bins, u32 f, LeftSums& b) {
  b.reserve(CoarseCodes::kBins, LeftSums::Parts::weights_and_sums);
  const double* moments = bins.moments(f);
  const std::size_t m = bins.n_bins(f);
  double sum = 0, n = 0;
  for (std::size_t i = 0; i < m; ++i) {
    b.a[i] = sum += moments[2 * i];
    b.w[i] = n += moments[2 * i + 1];
    b.n[i] = static_cast<i32>(n);
  }
  return m;
}

inline void bound_bins(NodeBins& bins, u32 f, const NumberSums& acc, const Targets&,
                       const NodeView& node, const SplitLimits& limits, bool,
                       LeftSums& b) {
  const std::size_t m = write_moments(bins, f, b);
  const auto [lo, hi] = feasible(b, 0, m, true, node, limits);
  const double best = acc.best(b, lo, hi, NumberSums::kLeastScore).score;
  bins.score = std::max(bins.score, best);
  bins.bounds(f) = {best, 0, in_one_bin(b, m)};
}

// As search_bins of two classes; values have bins of their own.
inline bool search_bins(const NodeBins& bins, u32 f, const Column&, const Targets&,
                        NumberSums& acc, const NodeView& node,
                        const SplitLimits& limits, bool, LeftSums& b,
                        BlockBest& found) {
  if (!bins.closed(f, found.score * (1 - kRounding), false)) {
    const std::size_t m = write_moments(bins, f, b);
    compare_own(acc, b, m, node, limits, found);
  }
  return leave(bins, f, false, found);
}

}  // namespace dpdtree
