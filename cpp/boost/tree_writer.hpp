// A grown tree (bins, creation order) → a model's tree (raw thresholds, preorder).
#pragma once

#include "boost/leafwise.hpp"
#include "tree/forest.hpp"

namespace dpdtree::boosting {

// `values`: of all nodes, learning rate included.
BoostTree write_tree(const GrownTree& tree, const std::vector<double>& values,
                     const BinnedData& data, const Units& units);

}  // namespace dpdtree::boosting
