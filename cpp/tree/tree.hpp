// A fitted tree, alone or in a forest: immutable parallel arrays under scikit-learn's
// names, in depth-first preorder (a left child follows its parent). TreeBuilder makes
// it, tree/stored.hpp stores it; it knows nothing of codes or training.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

inline constexpr i64 kNoChild = -1;
inline constexpr i64 kLeafFeature = -2;
inline constexpr double kLeafThreshold = -2.0;
inline constexpr i64 kMostCategories = i64{1} << 28;  // of a column

struct Tree {
  i64 n_features = 0;
  std::vector<i64> n_classes;  // of each output; 1 for regression and boosting
  std::vector<i64> children_left;
  std::vector<i64> children_right;
  std::vector<i64> feature;
  std::vector<double> threshold;  // left if value <= threshold
  std::vector<u8> missing_go_to_left;
  // Splits of categories: the numbers of the categories that go left, ascending, node
  // after node; node i's end at category_end[i]. Their thresholds are NaN. Both are
  // empty if the tree has no such split.
  std::vector<i64> category_end;
  std::vector<i64> category_left;
  std::vector<double> value;     // n_values per node: max_n_classes for each output
  std::vector<double> impurity;  // empty in a boosted tree
  std::vector<double> gain;      // of the split; boosted trees only
  std::vector<i64> n_node_samples;
  std::vector<double> weighted_n_node_samples;  // of a boosted tree: sums of hessians

  std::size_t node_count() const { return feature.size(); }
  i64 max_n_classes() const;
  std::size_t n_values() const {
    return n_classes.size() * static_cast<std::size_t>(max_n_classes());
  }
  bool is_leaf(std::size_t node) const { return children_left[node] == kNoChild; }
  bool is_categorical(std::size_t node) const {
    return !is_leaf(node) && std::isnan(threshold[node]);
  }
  std::span<const i64> left_categories(std::size_t node) const {
    if (category_end.empty()) return {};
    const i64 begin = node > 0 ? category_end[node - 1] : 0;
    return {category_left.data() + begin,
            static_cast<std::size_t>(category_end[node] - begin)};
  }
  i64 n_leaves() const;
  i64 max_depth() const;
};

// Throws FormatError unless the arrays form a tree in preorder over n_features
// features.
void check_tree(const Tree& tree);

}  // namespace dpdtree
