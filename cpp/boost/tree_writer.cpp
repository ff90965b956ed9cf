#include "boost/tree_writer.hpp"

namespace dpdtree::boosting {
namespace {

CategorySet category_set(const BinnedSplit& rule) {
  CategorySet set{};
  for (u32 word = 0; word < 8; ++word)
    set[word] = static_cast<u32>(rule.left_bins[word / 2] >> (word % 2 * 32));
  return set;
}

class TreeWriter {
 public:
  TreeWriter(const GrownTree& tree, const std::vector<double>& values,
             const BinnedData& data, const Units& units)
      : tree_(tree), values_(values), data_(data), units_(units) {}

  i32 write(u32 node) {
    const auto at = static_cast<i32>(out.node_count());
    append(node);
    if (tree_[node].is_leaf()) return at;
    const i32 left = write(tree_[node].left);
    const i32 right = write(tree_[node].right);
    out.children_left[static_cast<std::size_t>(at)] = left;
    out.children_right[static_cast<std::size_t>(at)] = right;
    return at;
  }

  BoostTree out;

 private:
  void append(u32 node) {
    const GrownNode& n = tree_[node];
    const BinnedSplit& rule = n.split.rule;
    const bool leaf = n.is_leaf();
    const bool categorical = !leaf && rule.categorical;
    out.children_left.push_back(-1);
    out.children_right.push_back(-1);
    out.feature.push_back(leaf ? -2 : static_cast<i32>(rule.feature));
    out.threshold.push_back(leaf || categorical ? 0.0 : threshold(rule));
    out.missing_go_to_left.push_back(!leaf && rule.missing_left);
    out.is_categorical.push_back(categorical);
    out.value.push_back(values_[node]);
    out.gain.push_back(leaf ? 0.0 : n.split.gain);
    out.n_node_samples.push_back(units_.count_of(n.context.total));
    out.sum_hessian.push_back(units_.hessian_of(n.context.total));
    if (categorical || !out.left_categories.empty()) {
      out.left_categories.resize(out.node_count());
      if (categorical) out.left_categories.back() = category_set(rule);
    }
  }

  // "All values left, missing ones right" is a cut after the last bin.
  double threshold(const BinnedSplit& rule) const {
    const auto& edges = data_.bins(rule.feature).edges;
    return rule.cut < edges.size() ? edges[rule.cut]
                                   : std::numeric_limits<double>::infinity();
  }

  const GrownTree& tree_;
  const std::vector<double>& values_;
  const BinnedData& data_;
  const Units& units_;
};

}  // namespace

BoostTree write_tree(const GrownTree& tree, const std::vector<double>& values,
                     const BinnedData& data, const Units& units) {
  TreeWriter writer(tree, values, data, units);
  writer.write(0);
  BoostTree out = std::move(writer.out);
  if (!out.left_categories.empty()) out.left_categories.resize(out.node_count());
  return out;
}

}  // namespace dpdtree::boosting
