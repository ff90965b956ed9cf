// Which boundaries respect the limits of a split.
#pragma once

#include "node/split.hpp"
#include "split/left_sums.hpp"

namespace dpdtree {

// Those of the boundaries [lo, hi) that leave enough rows and weight on both sides.
struct BoundaryRange {
  std::size_t lo, hi;
};

inline BoundaryRange feasible(const LeftSums& b, std::size_t lo, std::size_t hi,
                              bool has_weights, const NodeView& node,
                              const SplitLimits& limits) {
  const auto n = static_cast<i64>(node.n());
  const i64 min_n = limits.min_samples_leaf;
  while (lo < hi && b.n[lo] < min_n) ++lo;
  while (hi > lo && n - b.n[hi - 1] < min_n) --hi;
  if (limits.min_weight_leaf <= 0) return {lo, hi};
  const auto weight = [&](std::size_t i) {
    return has_weights ? b.w[i] : static_cast<double>(b.n[i]);
  };
  while (lo < hi && weight(lo) < limits.min_weight_leaf) ++lo;
  while (hi > lo && node.weight - weight(hi - 1) < limits.min_weight_leaf) --hi;
  return {lo, hi};
}

}  // namespace dpdtree
