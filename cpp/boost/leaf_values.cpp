#include "boost/leaf_values.hpp"

namespace dpdtree::boosting {
namespace {

double newton_step(const DerivativeSum& sum, double alpha) {
  const double g = sum.gradient, h = sum.hessian;
  const double pull = g > alpha ? g - alpha : g < -alpha ? g + alpha : 0.0;
  return h > 0 ? -pull / h : 0.0;
}

}  // namespace

std::vector<double> node_values(const GrownTree& tree, const LeafCost& cost, u32 output,
                                const BoostingRows& rows, const Loss& loss,
                                const Params& params) {
  const bool quantiles = loss.leaf_quantile() >= 0;
  const bool steps = !quantiles && !params.newton;
  std::vector<double> quantile;
  std::vector<DerivativeSum> sums;
  if (quantiles) quantile = rows.leaf_quantiles(tree, output, loss.leaf_quantile());
  if (steps) sums = rows.leaf_sums(tree, output, params.l2_regularization);
  std::vector<double> values(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const GrownNode& node = tree[i];
    double value = cost.value(node.context.total, node.context);
    if (node.is_leaf() && quantiles) value = quantile[i];
    if (node.is_leaf() && steps) value = newton_step(sums[i], params.reg_alpha);
    values[i] = params.learning_rate * node.context.bounds.clamp(value);
  }
  return values;
}

}  // namespace dpdtree::boosting
