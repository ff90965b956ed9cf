#include "boost/grown_tree.hpp"

#include <algorithm>

namespace dpdtree::boosting {

// Parents come before their children: one walk backwards meets all ancestors.
NodePath path_of(const GrownTree& tree, u32 node) {
  NodePath path;
  for (u32 parent = node; parent-- > 0;) {
    const GrownNode& n = tree[parent];
    if (n.is_leaf() || (n.left != node && n.right != node)) continue;
    path.push_back({n.split.rule, n.left == node});
    node = parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace dpdtree::boosting
