// A tree while it is grown: bins instead of thresholds, nodes in the order in which
// they came.
#pragma once

#include <vector>

#include "hist/node.hpp"

namespace dpdtree::boosting {

struct GrownNode {
  NodeContext context;
  RowSet rows;       // valid for leaves only
  FoundSplit split;  // the best one known, carried out or not
  u32 left = 0;      // 0: a leaf
  u32 right = 0;

  bool is_leaf() const { return left == 0; }
};

using GrownTree = std::vector<GrownNode>;  // the root first, parents before children

struct PathStep {
  BinnedSplit split;
  bool left;
};
using NodePath = std::vector<PathStep>;

// The splits that lead from the root to a node.
NodePath path_of(const GrownTree& tree, u32 node);

// A sum over rows, in full precision.
struct DerivativeSum {
  double gradient = 0;
  double hessian = 0;
};

}  // namespace dpdtree::boosting
