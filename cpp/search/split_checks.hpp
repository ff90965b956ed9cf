// What a split proposed elsewhere has to keep where it is made.
#pragma once

#include <algorithm>
#include <vector>

#include "node/constraints.hpp"
#include "node/partition.hpp"

namespace dpdtree {

// How many middles of a split of a monotone feature are tried. Those for 0-1 losses
// cost little, since one side has one class left; others are tried above the last level
// only.
inline int middles_tried(const ConstraintRules& rules, u32 feature, u32 levels) {
  if (rules.direction(feature) == 0 || levels == 1) return 1;
  return rules.loss == Criterion::zero_one || levels == 2 ? rules.n_middles() : 1;
}

// Every split of a monotone feature once for each middle.
inline std::vector<Split> with_middles(const ConstraintRules& rules, u32 levels,
                                       const std::vector<Split>& splits) {
  std::vector<Split> out;
  for (Split split : splits) {
    const int n = middles_tried(rules, split.feature, levels);
    for (int choice = 0; choice < n; ++choice) {
      split.middle_choice = static_cast<u8>(choice);
      out.push_back(split);
    }
  }
  return out;
}

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
