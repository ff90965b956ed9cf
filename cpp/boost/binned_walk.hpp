// Leaves of rows that took no part in growing a tree, by their codes.
#pragma once

#include "boost/grown_tree.hpp"

namespace dpdtree::boosting {

class BinnedWalk {
 public:
  BinnedWalk(const GrownTree& tree, const BinnedData& data);

  u32 leaf_of(std::size_t row) const {
    u32 at = 0;
    while (nodes_[at].left != 0) {
      const Node& node = nodes_[at];
      at = node.side[node.codes.data[row * node.codes.stride]] != 0 ? node.left
                                                                    : node.right;
    }
    return at;
  }

 private:
  struct Node {
    u32 left = 0;
    u32 right = 0;
    ColumnCodes codes;
    SideTable side{};
  };
  std::vector<Node> nodes_;
};

}  // namespace dpdtree::boosting
