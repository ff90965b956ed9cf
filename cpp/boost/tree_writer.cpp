#include "boost/tree_writer.hpp"

#include "tree/tree_builder.hpp"

namespace dpdtree::boosting {
namespace {

class TreeWriter {
 public:
  TreeWriter(const GrownTree& tree, const std::vector<double>& values,
             const BinnedData& data, const Units& units)
      : tree_(tree),
        values_(values),
        data_(data),
        units_(units),
        builder_(TreeKind::boosted, data.n_features(), {1}) {
    builder_.reserve(tree.size());
  }

  Tree write() {
    add(0);
    return builder_.finish();
  }

 private:
  void add(u32 node) {
    const GrownNode& n = tree_[node];
    const bool leaf = n.is_leaf();
    const NodeRecord record{{&values_[node], 1},
                            n.context.total.count,
                            units_.hessian_of(n.context.total),
                            leaf ? 0.0 : n.split.gain};
    if (leaf) return builder_.add_leaf(record);
    const BinnedSplit& rule = n.split.rule;
    if (rule.categorical)
      builder_.add_category_split(rule.feature, left_categories(rule),
                                  rule.missing_left, record);
    else
      builder_.add_split(rule.feature, threshold(rule), rule.missing_left, record);
    add(n.left);
    add(n.right);
  }

  std::vector<i64> left_categories(const BinnedSplit& rule) const {
    std::vector<i64> left;
    for (u32 bin = 0; bin < data_.bins(rule.feature).n_values; ++bin)
      if (rule.left_bins.contains(bin)) left.push_back(bin);
    return left;
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
  TreeBuilder builder_;
};

}  // namespace

Tree write_tree(const GrownTree& tree, const std::vector<double>& values,
                const BinnedData& data, const Units& units) {
  return TreeWriter(tree, values, data, units).write();
}

}  // namespace dpdtree::boosting
