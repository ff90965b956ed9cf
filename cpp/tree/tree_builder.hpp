// The one writer of trees: takes the nodes in preorder and links them.
#pragma once

#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace dpdtree {

// What a node is told beside its split.
struct NodeRecord {
  std::span<const double> value;  // n_values of them
  i64 n_samples = 0;
  double weight = 0;
  double merit = 0;  // its impurity; in a boosted tree the gain of its split
};

enum class TreeKind { single, boosted };

// Sets the children of a tree whose nodes are in preorder. Throws InputError if a split
// lacks a child, or a node its parent.
void link_children(Tree& tree);

class TreeBuilder {
 public:
  TreeBuilder(TreeKind kind, i64 n_features, std::vector<i64> n_classes);

  void reserve(std::size_t n_nodes);
  std::size_t n_values() const { return tree_.n_values(); }

  // The next node in preorder: a parent, its left subtree, its right one.
  void add_leaf(const NodeRecord& node);
  void add_split(u32 feature, double threshold, bool missing_left,
                 const NodeRecord& node);
  // `left`: the numbers of the categories that go left, ascending.
  void add_category_split(u32 feature, std::span<const i64> left, bool missing_left,
                          const NodeRecord& node);

  // Throws InputError if a split lacks a child.
  Tree finish();

 private:
  void add(i64 feature, double threshold, bool missing_left, const NodeRecord& node);

  TreeKind kind_;
  Tree tree_;
  bool categories_ = false;
};

}  // namespace dpdtree
