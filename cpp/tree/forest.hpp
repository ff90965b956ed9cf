// The fitted model: immutable trees over raw values; knows nothing of bins or training.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace dpdtree::boosting {

using CategorySet = std::array<u32, 8>;  // a bit per code

// Parallel arrays in preorder; children are -1 and the feature -2 at leaves.
struct BoostTree {
  std::vector<i32> children_left;
  std::vector<i32> children_right;
  std::vector<i32> feature;
  std::vector<double> threshold;  // left if value <= threshold
  std::vector<u8> missing_go_to_left;
  std::vector<u8> is_categorical;
  std::vector<CategorySet> left_categories;  // empty if no node is categorical
  std::vector<double> value;                 // with the learning rate
  std::vector<double> gain;
  std::vector<i64> n_node_samples;
  std::vector<double> sum_hessian;

  std::size_t node_count() const { return feature.size(); }
  bool is_leaf(std::size_t node) const { return children_left[node] < 0; }
};

struct Model {
  u32 n_features = 0;
  u32 n_outputs = 1;
  std::vector<double> baseline;  // per output
  std::vector<std::shared_ptr<const BoostTree>>
      trees;  // outputs of an iteration together

  std::size_t n_iterations() const { return trees.size() / n_outputs; }
  Model truncated(std::size_t n_iterations) const;
  std::vector<double> importances(bool by_gain) const;
};

// A versioned, little-endian byte string; reading throws InputError on anything else.
std::string model_to_bytes(const Model& model);
Model model_from_bytes(std::string_view bytes);

// Throws InputError unless children follow parents and features are in range.
void check_tree(const BoostTree& tree, u32 n_features);

}  // namespace dpdtree::boosting
