// What both engines know of constraints: bounds of the values of leaves (monotone
// features) and groups of features that may meet on a path (interactions).
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

using FeatureMask = std::vector<u8>;  // one entry per feature; empty: all of them

// Of the values of the leaves below a node.
struct ValueBounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool bounded() const {
    return low > -std::numeric_limits<double>::infinity() ||
           high < std::numeric_limits<double>::infinity();
  }
  double clamp(double value) const { return std::clamp(value, low, high); }

  // Below a split of a feature in which the value rises (1) or falls (-1): leaves on
  // one side stay below the middle, those on the other above.
  void narrow(i32 direction, bool left, double middle) {
    if (direction != 0) (left == (direction > 0) ? high : low) = middle;
  }
};

// A path asks features of one group.
using FeatureGroups = std::vector<std::vector<u32>>;

// The numbers of all groups: those open at the root.
std::vector<u32> all_groups(const FeatureGroups& groups);

// Those of the open groups that stay open below a split of the feature.
std::vector<u32> groups_with(const FeatureGroups& groups, std::span<const u32> open,
                             u32 feature);

// The features of the open groups.
FeatureMask features_of(const FeatureGroups& groups, std::span<const u32> open,
                        std::size_t n_features);

}  // namespace dpdtree
