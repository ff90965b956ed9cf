// Layout: magic, version, sizes, baseline, then per tree its node count, whether it has
// categories, and its arrays.
#include "tree/forest.hpp"

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace dpdtree::boosting {
namespace {

constexpr std::string_view kMagic = "dpdboost";
constexpr u64 kVersion = 1;

// All arrays of a tree, in the order of the file.
template <class TreeType, class F>
void for_arrays(TreeType& t, u64 n, bool categories, const F& f) {
  f(t.children_left, n);
  f(t.children_right, n);
  f(t.feature, n);
  f(t.threshold, n);
  f(t.missing_go_to_left, n);
  f(t.is_categorical, n);
  f(t.left_categories, categories ? n : 0);
  f(t.value, n);
  f(t.gain, n);
  f(t.n_node_samples, n);
  f(t.sum_hessian, n);
}

}  // namespace

Model Model::truncated(std::size_t n) const {
  Model out = *this;
  out.trees.resize(std::min(n, n_iterations()) * n_outputs);
  return out;
}

std::vector<double> Model::importances(bool by_gain) const {
  std::vector<double> sum(n_features, 0.0);
  for (const auto& tree : trees)
    for (std::size_t i = 0; i < tree->node_count(); ++i)
      if (!tree->is_leaf(i))
        sum[static_cast<std::size_t>(tree->feature[i])] +=
            by_gain ? tree->gain[i] : 1.0;
  return sum;
}

void check_tree(const BoostTree& tree, u32 n_features) {
  const auto n = static_cast<i64>(tree.node_count());
  if (n == 0) throw InputError("a tree of the model has no node");
  const auto bad = [] { throw InputError("model data is not that of valid trees"); };
  for (i64 i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const i64 left = tree.children_left[at], right = tree.children_right[at];
    if (left < 0 && right < 0) continue;
    if (left <= i || right <= left || right >= n) bad();
    if (tree.feature[at] < 0 || tree.feature[at] >= static_cast<i64>(n_features)) bad();
    if (tree.is_categorical[at] != 0 && tree.left_categories.empty()) bad();
  }
}

std::string model_to_bytes(const Model& model) {
  ByteWriter out;
  out.raw(kMagic.data(), kMagic.size());
  out.number(kVersion);
  out.number(model.n_features);
  out.number(model.n_outputs);
  out.number(model.trees.size());
  out.array(model.baseline);
  for (const auto& tree : model.trees) {
    out.number(tree->node_count());
    out.number(tree->left_categories.empty() ? 0 : 1);
    for_arrays(*tree, tree->node_count(), !tree->left_categories.empty(),
               [&](const auto& array, u64) { out.array(array); });
  }
  return std::move(out.bytes);
}

Model model_from_bytes(std::string_view bytes) {
  ByteReader in(bytes, "model");
  std::string magic(kMagic.size(), '\0');
  in.raw(magic.data(), magic.size());
  if (magic != kMagic) throw InputError("not the data of a boosted dpdtree model");
  const u64 version = in.number();
  if (version > kVersion)
    throw InputError("model data of version " + std::to_string(version) +
                     " needs a newer dpdtree (this one reads up to version " +
                     std::to_string(kVersion) + ")");
  Model model;
  model.n_features = static_cast<u32>(in.number());
  model.n_outputs = static_cast<u32>(in.number());
  const u64 n_trees = in.number();
  if (model.n_outputs == 0 || n_trees > bytes.size() || n_trees % model.n_outputs != 0)
    throw InputError("model data is cut short");
  in.array(model.baseline, model.n_outputs);
  for (u64 i = 0; i < n_trees; ++i) {
    auto tree = std::make_shared<BoostTree>();
    const u64 n = in.number();
    const bool categories = in.number() != 0;
    for_arrays(*tree, n, categories,
               [&](auto& array, u64 size) { in.array(array, size); });
    check_tree(*tree, model.n_features);
    model.trees.push_back(std::move(tree));
  }
  if (!in.at_end()) throw InputError("model data has bytes after its end");
  return model;
}

}  // namespace dpdtree::boosting
