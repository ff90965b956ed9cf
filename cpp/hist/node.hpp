// What is known of a node while a tree is grown.
#pragma once

#include <memory>
#include <vector>

#include "hist/binned_data.hpp"
#include "node/feature_rules.hpp"
#include "simd/gradient_bin.hpp"

namespace dpdtree::boosting {

// Rows of a node with their gradients beside them. Their order is of no consequence.
struct RowSet {
  Row* rows = nullptr;
  RowGradient* gradients = nullptr;
  std::size_t size = 0;

  RowSet part(std::size_t begin, std::size_t end) const {
    return {rows + begin, gradients + begin, end - begin};
  }
};

// The way from the root to a node whose rows are elsewhere, its last split first. Null:
// the root, or a node whose rows are here.
struct PathLink {
  std::shared_ptr<const PathLink> above;
  BinnedSplit split;
  bool left = false;
};

// What a node inherits: bounds of its value (monotonic constraints), the groups of
// features it may still use (interaction constraints), and a key that depends only on
// its path, for random draws.
struct NodeContext {
  GradientSum total;
  u32 depth = 0;
  u64 key = 0;
  ValueBounds bounds;
  std::vector<u32> open_groups;
  FeatureMask allowed;
  std::shared_ptr<const PathLink> path;
};

struct FoundSplit {
  bool valid = false;
  double gain = 0;
  BinnedSplit rule;
  GradientSum left;
};

}  // namespace dpdtree::boosting
