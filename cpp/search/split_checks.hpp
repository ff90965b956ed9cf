// What a split proposed elsewhere has to keep where it is made.
#pragma once

#include <algorithm>

#include "node/constraints.hpp"
#include "node/partition.hpp"

namespace dpdtree {

// True if an earlier choice leads to the same middle of a monotone feature.
inline bool repeats_middle(const NodeView& s, const Children& children,
                           const Split& split) {
  for (int choice = 0; choice < split.middle_choice; ++choice)
    if (middle_value(s, children.left, children.right, split.feature, choice) ==
        split.middle)
      return true;
  return false;
}

// Splits of the look-ahead come from bins and need not respect the limits.
inline bool within_limits(const SplitLimits& limits, const NodeView& node,
                          const Children& children) {
  const u32 n = std::min(children.left.n(), children.right.n());
  return node.n() >= limits.min_samples_split && n > 0 &&
         n >= limits.min_samples_leaf &&
         std::min(children.left.weight, children.right.weight) >=
             limits.min_weight_leaf;
}

}  // namespace dpdtree
