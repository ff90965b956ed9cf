#include "boost/noise_share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "split/thresholds.hpp"

namespace dpdtree::boosting {
namespace {

// Split nodes in the order in which they were split: children are added in pairs.
std::vector<u32> in_order(const GrownTree& tree) {
  std::vector<u32> out;
  for (u32 i = 0; i < tree.size(); ++i)
    if (!tree[i].is_leaf()) out.push_back(i);
  std::sort(out.begin(), out.end(),
            [&](u32 a, u32 b) { return tree[a].left < tree[b].left; });
  return out;
}

double score(const GrownNode& node, const Units& units) {
  const double g = units.gradient_of(node.context.total);
  const double h = units.hessian_of(node.context.total);
  return h > 0 ? g * g / h : 0.0;
}

// ln T by the bins that a feature has: those that a node has would take a histogram.
double log_choices(const BinnedSplit& split, u32 n_values) {
  if (!split.categorical) return log_thresholds(n_values);
  u32 left = 0;
  for (u32 bin = 0; bin < n_values; ++bin) left += split.left_bins.contains(bin);
  return log_category_sets(n_values, left);
}

double description(const BinnedSplit& split, const BinnedData& data) {
  return std::log(static_cast<double>(data.n_features())) +
         log_choices(split, data.bins(split.feature).n_values);
}

}  // namespace

Params probe_params(Params own, double row_hessian) {
  own.lookahead = Lookahead::none;
  own.max_leaf_nodes = kProbeLeaves;
  own.max_depth = 0;
  own.min_samples_leaf = 1;
  own.min_child_weight = kProbeLeafRows * row_hessian;
  own.l2_regularization = own.reg_alpha = own.gamma = 0;
  own.max_features = 1;
  return own;
}

double noise_share(const GrownTree& tree, const BinnedData& data, const Units& units,
                   const Deviations& deviations) {
  if (!(deviations.squares > 0)) return 1;
  double gained = 0, nats = 0, shortest = 0, share = 1;
  for (const u32 i : in_order(tree)) {
    const GrownNode& node = tree[i];
    gained += score(tree[node.left], units) + score(tree[node.right], units) -
              score(node, units);
    nats += description(node.split.rule, data);
    const double left =
        std::max(1 - gained / deviations.squares, std::numeric_limits<double>::min());
    const double length = deviations.n_rows / 2 * std::log(left) + nats;
    if (length >= shortest) continue;
    shortest = length;
    share = left;
  }
  return share;
}

}  // namespace dpdtree::boosting
