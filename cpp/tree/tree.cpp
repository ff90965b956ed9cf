#include "tree/tree.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace dpdtree {

i64 Tree::n_leaves() const {
  return std::count(children_left.begin(), children_left.end(), kNoChild);
}

i64 Tree::max_n_classes() const {
  return n_classes.empty() ? 0 : *std::max_element(n_classes.begin(), n_classes.end());
}

i64 Tree::max_depth() const {
  std::vector<i64> depth(node_count(), 0);
  i64 deepest = 0;
  for (std::size_t i = 0; i < node_count(); ++i) {  // parents come before children
    deepest = std::max(deepest, depth[i]);
    if (is_leaf(i)) continue;
    depth[static_cast<std::size_t>(children_left[i])] = depth[i] + 1;
    depth[static_cast<std::size_t>(children_right[i])] = depth[i] + 1;
  }
  return deepest;
}

namespace {

void require(bool ok, const char* what) {
  if (!ok) throw FormatError(std::string("not a valid tree: ") + what);
}

void check_categories(const Tree& tree) {
  const auto& end = tree.category_end;
  const auto total = static_cast<i64>(tree.category_left.size());
  require(end.size() == tree.node_count() || (end.empty() && total == 0),
          "its arrays differ in length");
  require(std::is_sorted(end.begin(), end.end()) &&
              (end.empty() || (end.front() >= 0 && end.back() == total)),
          "its categories have no end");
  for (std::size_t i = 0; i < tree.node_count(); ++i) {
    const auto left = tree.left_categories(i);
    require(left.empty() || !tree.is_leaf(i), "a leaf has categories");
    require(left.empty() || tree.is_categorical(i),
            "a split has both a threshold and categories");
    require(std::is_sorted(left.begin(), left.end()) &&
                (left.empty() || (left.front() >= 0 && left.back() < kMostCategories)),
            "its categories are out of order");
  }
}

// One of the two arrays is that of the other kind of tree.
bool has_whole_arrays(const Tree& tree) {
  const std::size_t n = tree.node_count();
  return tree.children_left.size() == n && tree.children_right.size() == n &&
         tree.threshold.size() == n && tree.missing_go_to_left.size() == n &&
         tree.value.size() == n * tree.n_values() &&
         tree.impurity.size() + tree.gain.size() == n &&
         (tree.impurity.empty() || tree.gain.empty()) &&
         tree.n_node_samples.size() == n && tree.weighted_n_node_samples.size() == n;
}

void check_order(const Tree& tree) {
  const std::size_t n = tree.node_count();
  // In preorder the node that follows a subtree is the next open right child.
  std::vector<i64> open_right;
  for (std::size_t i = 0; i < n; ++i) {
    const auto next = static_cast<i64>(i) + 1;
    if (!tree.is_leaf(i)) {
      require(tree.feature[i] >= 0 && tree.feature[i] < tree.n_features,
              "a split uses an unknown feature");
      require(!tree.is_categorical(i) || !tree.category_end.empty(),
              "a split needs a threshold or categories");
      require(tree.children_left[i] == next, "its nodes are not in preorder");
      open_right.push_back(tree.children_right[i]);
      continue;
    }
    require(tree.children_right[i] == kNoChild, "a node has one child");
    if (next == static_cast<i64>(n)) break;
    require(!open_right.empty() && open_right.back() == next,
            "its nodes are not in preorder");
    open_right.pop_back();
  }
  require(tree.is_leaf(n - 1) && open_right.empty(), "it ends before its last leaf");
}

}  // namespace

void check_tree(const Tree& tree) {
  const std::size_t n = tree.node_count();
  require(n > 0, "it has no nodes");
  require(!tree.n_classes.empty() &&
              *std::min_element(tree.n_classes.begin(), tree.n_classes.end()) > 0 &&
              tree.n_features >= 0,
          "bad sizes");
  require(has_whole_arrays(tree), "its arrays differ in length");
  check_categories(tree);
  check_order(tree);
}

}  // namespace dpdtree
