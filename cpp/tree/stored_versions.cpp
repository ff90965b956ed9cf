#include "tree/stored_versions.hpp"

#include <array>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr i64 kUnknownCategory = 255;

template <class From, class To>
void read_as(ByteReader& in, std::vector<To>& out, u64 n) {
  std::vector<From> stored;
  in.array(stored, n);
  out.assign(stored.begin(), stored.end());
}

}  // namespace

Tree read_early_tree(ByteReader& in, u64 version) {
  Tree tree;
  tree.n_features = static_cast<i64>(in.number());
  if (version > 2)
    in.sized(tree.n_classes);
  else
    tree.n_classes = {static_cast<i64>(in.count())};
  const u64 n = in.count();
  in.array(tree.children_left, n);
  in.array(tree.children_right, n);
  in.array(tree.feature, n);
  in.array(tree.threshold, n);
  in.array(tree.missing_go_to_left, n);
  // Sizes beyond the data itself are nonsense, and their product could overflow.
  for (const i64 k : tree.n_classes) in.check_count(static_cast<u64>(k));
  in.check_count(tree.n_values());
  in.array(tree.value, n * tree.n_values());
  in.array(tree.impurity, n);
  in.array(tree.n_node_samples, n);
  in.array(tree.weighted_n_node_samples, n);
  const u64 n_categories = version > 1 ? in.number() : 0;
  if (n_categories > 0) in.array(tree.category_end, n);
  in.array(tree.category_left, n_categories);
  check_tree(tree);
  return tree;
}

// Its splits of categories had a flag and 256 bits each, and thresholds of 0.
Tree read_early_boosted_tree(ByteReader& in, u32 n_features) {
  Tree tree;
  tree.n_features = n_features;
  tree.n_classes = {1};
  const u64 n = in.count();
  const bool categories = in.number() != 0;
  std::vector<u8> is_categorical;
  std::vector<std::array<u32, 8>> left;
  read_as<i32>(in, tree.children_left, n);
  read_as<i32>(in, tree.children_right, n);
  read_as<i32>(in, tree.feature, n);
  in.array(tree.threshold, n);
  in.array(tree.missing_go_to_left, n);
  in.array(is_categorical, n);
  in.array(left, categories ? n : 0);
  in.array(tree.value, n);
  in.array(tree.gain, n);
  in.array(tree.n_node_samples, n);
  in.array(tree.weighted_n_node_samples, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (tree.is_categorical(i) && is_categorical[i] == 0)
      throw InputError("not a valid tree: a threshold is not a number");
    if (tree.is_leaf(i)) tree.threshold[i] = kLeafThreshold;
    if (is_categorical[i] != 0) tree.threshold[i] = std::nan("");
    for (u32 code = 0; categories && is_categorical[i] != 0 && code < kUnknownCategory;
         ++code)
      if ((left[i][code / 32] >> (code % 32) & 1) != 0)
        tree.category_left.push_back(code);
    if (categories)
      tree.category_end.push_back(static_cast<i64>(tree.category_left.size()));
  }
  check_tree(tree);
  return tree;
}

}  // namespace dpdtree
