#include "tree/tree_builder.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"

namespace dpdtree {

// A node that follows a split is its left child; one that follows a leaf is the right
// child of the last split that still lacks one.
void link_children(Tree& tree) {
  const std::size_t n = tree.node_count();
  tree.children_left.assign(n, kNoChild);
  tree.children_right.assign(n, kNoChild);
  std::vector<std::size_t> open;  // splits without a right child, the last one on top
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.feature[i] != kLeafFeature) {
      tree.children_left[i] = static_cast<i64>(i) + 1;
      open.push_back(i);
      continue;
    }
    if (open.empty() != (i + 1 == n))
      throw FormatError("not a valid tree: its nodes are not in preorder");
    if (open.empty()) break;
    tree.children_right[open.back()] = static_cast<i64>(i) + 1;
    open.pop_back();
  }
}

TreeBuilder::TreeBuilder(TreeKind kind, i64 n_features, std::vector<i64> n_classes)
    : kind_(kind) {
  tree_.n_features = n_features;
  tree_.n_classes = std::move(n_classes);
}

void TreeBuilder::reserve(std::size_t n) {
  Tree& t = tree_;
  for (auto* v : {&t.feature, &t.n_node_samples}) v->reserve(n);
  for (auto* v : {&t.threshold, &t.weighted_n_node_samples}) v->reserve(n);
  (kind_ == TreeKind::single ? t.impurity : t.gain).reserve(n);
  t.missing_go_to_left.reserve(n);
  t.value.reserve(n * t.n_values());
}

void TreeBuilder::add_leaf(const NodeRecord& node) {
  add(kLeafFeature, kLeafThreshold, false, node);
}

void TreeBuilder::add_split(u32 feature, double threshold, bool missing_left,
                            const NodeRecord& node) {
  add(feature, threshold, missing_left, node);
}

void TreeBuilder::add_category_split(u32 feature, std::span<const i64> left,
                                     bool missing_left, const NodeRecord& node) {
  categories_ = true;
  tree_.category_left.insert(tree_.category_left.end(), left.begin(), left.end());
  add(feature, std::numeric_limits<double>::quiet_NaN(), missing_left, node);
}

void TreeBuilder::add(i64 feature, double threshold, bool missing_left,
                      const NodeRecord& node) {
  Tree& t = tree_;
  t.feature.push_back(feature);
  t.threshold.push_back(threshold);
  t.missing_go_to_left.push_back(missing_left);
  t.category_end.push_back(static_cast<i64>(t.category_left.size()));
  t.value.insert(t.value.end(), node.value.begin(), node.value.end());
  (kind_ == TreeKind::single ? t.impurity : t.gain).push_back(node.merit);
  t.n_node_samples.push_back(node.n_samples);
  t.weighted_n_node_samples.push_back(node.weight);
}

Tree TreeBuilder::finish() {
  if (!categories_) tree_.category_end.clear();
  link_children(tree_);
  check_tree(tree_);
  return std::move(tree_);
}

}  // namespace dpdtree
