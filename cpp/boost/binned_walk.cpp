#include "boost/binned_walk.hpp"

namespace dpdtree::boosting {

BinnedWalk::BinnedWalk(const GrownTree& tree, const BinnedData& data)
    : nodes_(tree.size()) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].is_leaf()) continue;
    const BinnedSplit& rule = tree[i].split.rule;
    nodes_[i] = {tree[i].left, tree[i].right, data.codes_of(rule.feature),
                 data.sides(rule)};
  }
}

}  // namespace dpdtree::boosting
