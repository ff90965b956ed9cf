#include "tree/forest.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr i64 kForestCategories = 255;  // the last of 256 codes stands for the others

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

bool fits(const Tree& tree, u32 n_features) {
  return tree.n_features == i64{n_features} && tree.n_values() == 1 &&
         tree.gain.size() == tree.node_count() && all_finite(tree.value) &&
         std::all_of(tree.category_left.begin(), tree.category_left.end(),
                     [](i64 category) { return category < kForestCategories; });
}

// Whether every feature is split by thresholds only, or by categories only: a threshold
// that is not a number would pass for an empty set of categories.
bool has_one_kind_of_split_per_feature(const Forest& forest) {
  std::vector<u8> numeric(forest.n_features, 0), categorical(forest.n_features, 0);
  for (const auto& tree : forest.trees)
    for (std::size_t i = 0; i < tree->node_count(); ++i) {
      if (tree->is_leaf(i)) continue;
      const auto feature = static_cast<std::size_t>(tree->feature[i]);
      (tree->is_categorical(i) ? categorical : numeric)[feature] = 1;
    }
  for (std::size_t f = 0; f < forest.n_features; ++f)
    if (numeric[f] != 0 && categorical[f] != 0) return false;
  return true;
}

}  // namespace

Forest Forest::truncated(std::size_t n) const {
  Forest out = *this;
  out.trees.resize(std::min(n, n_iterations()) * n_outputs);
  return out;
}

Forest Forest::latest() const {
  const auto k =
      static_cast<std::ptrdiff_t>(std::min<std::size_t>(n_outputs, trees.size()));
  return {n_features,
          n_outputs,
          std::vector<double>(n_outputs, 0.0),
          {trees.end() - k, trees.end()}};
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
    throw FormatError("model data is cut short");
  if (!all_finite(forest.baseline))
    throw FormatError("model data has no finite baseline");
  for (const auto& tree : forest.trees)
    if (!fits(*tree, forest.n_features))
      throw FormatError("model data is not that of boosted trees");
  if (!has_one_kind_of_split_per_feature(forest))
    throw FormatError("model data has a threshold that is not a number");
}

}  // namespace dpdtree
