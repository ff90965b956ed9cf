// A grown tree (bins, creation order) → a tree (raw thresholds, preorder).
#pragma once

#include "boost/grown_tree.hpp"
#include "tree/tree.hpp"

namespace dpdtree::boosting {

// `values`: of all nodes, learning rate included.
Tree write_tree(const GrownTree& tree, const std::vector<double>& values,
                const BinnedData& data, const Units& units);

}  // namespace dpdtree::boosting
