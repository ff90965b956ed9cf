#include "tree/forest.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr i64 kForestCategories = 255;  // the last of 256 codes stands for the others

bool fits(const Tree& tree, u32 n_features) {
  return tree.n_features == i64{n_features} && tree.n_values() == 1 &&
         tree.gain.size() == tree.node_count() &&
         std::all_of(tree.category_left.begin(), tree.category_left.end(),
                     [](i64 category) { return category < kForestCategories; });
}

}  // namespace

Forest Forest::truncated(std::size_t n) const {
  Forest out = *this;
  out.trees.resize(std::min(n, n_iterations()) * n_outputs);
  return out;
}

std::vector<double> Forest::importances(bool by_gain) const {
  std::vector<double> sum(n_features, 0.0);
  for (const auto& tree : trees)
    for (std::size_t i = 0; i < tree->node_count(); ++i)
      if (!tree->is_leaf(i))
        sum[static_cast<std::size_t>(tree->feature[i])] +=
            by_gain ? tree->gain[i] : 1.0;
  return sum;
}

void check_forest(const Forest& forest) {
  if (forest.n_outputs == 0 || forest.trees.size() % forest.n_outputs != 0)
    throw InputError("model data is cut short");
  for (const auto& tree : forest.trees)
    if (!fits(*tree, forest.n_features))
      throw InputError("model data is not that of boosted trees");
}

}  // namespace dpdtree
