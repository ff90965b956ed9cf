#include "search/noise_gate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/gamma_quantile.hpp"
#include "search/description_price.hpp"
#include "search/greedy_tree.hpp"
#include "split/set_price.hpp"

namespace dpdtree {
namespace {

class NoiseGate {
 public:
  NoiseGate(const Search& s, double level)
      : s_(s),
        t_(s.set.targets),
        log_level_(std::log(level) -
                   std::log(static_cast<double>(s.problem.columns.size()))) {
    unit_ = row_weight(s);
    if (!t_.classification()) unit_ = 2 * squares(s.root) / s.root.weight * unit_;
    degrees_ = degrees_of_freedom(t_);
  }

  bool closed() const {
    if (all_equal()) return true;
    GreedyGrower root(s_.context());
    NodeView view = s_.root;
    view.constraints = made_strict(s_.root.constraints);
    root.grow(view, s_.features, {1});
    return one_leaf(root) && one_leaf(grow_greedy(s_));
  }

  bool closed(const Plan& plan) const {
    if (all_equal() || plan == nullptr) return true;
    return least_of(*plan, s_.root) >= nats(s_.root);
  }

 private:
  bool all_equal() const { return degrees_ == 0 || !(unit_ > 0); }

  double squares(const NodeView& view) const {
    double sum = view.stats[1 + t_.n_outputs];
    for (u32 j = 0; j < t_.n_outputs; ++j)
      sum -= view.stats[1 + j] * view.stats[1 + j] / view.weight;
    return std::max(sum, 0.0);
  }

  // What a node costs as a leaf, in nats.
  double nats(const NodeView& view) const {
    if (!t_.classification()) return squares(view) / unit_;
    return impurity_sum(Criterion::log_loss, t_, view.rows, view.stats) / unit_;
  }

  double price(const NodeView& view, const Split& split) const {
    const double log_choices = s_.source().log_choices(s_.context(), view, split);
    return gamma_quantile(degrees_, log_level_ - log_choices);
  }

  // Nats and prices of the best pruning of a plan.
  double least_of(const PlanNode& plan, const NodeView& view) const {
    ChildBuffers room;
    Split split = plan.split;
    const Children c =
        s_.source().divide(s_.context(), view, split, room.make_room(view));
    const double left = plan.left ? least_of(*plan.left, c.left) : nats(c.left);
    const double right = plan.right ? least_of(*plan.right, c.right) : nats(c.right);
    const double own = nats(view);
    if (left + right >= own) return own;
    return std::min(own, left + right + price(view, split));
  }

  bool one_leaf(const GreedyGrower& grower) const {
    const auto& nodes = grower.nodes();
    std::vector<double> least(nodes.size());
    bool root_splits = false;
    for (std::size_t i = nodes.size(); i-- > 0;) {
      least[i] = nats(nodes[i].view);
      if (nodes[i].left < 0) continue;
      const auto left = static_cast<std::size_t>(nodes[i].left);
      double gain = least[i] - least[left] - least[left + 1];
      if (gain > 0) gain -= price(nodes[i].view, nodes[i].best.split);
      if (gain <= 0) continue;
      least[i] -= gain;
      root_splits = i == 0;
    }
    return !root_splits;
  }

  const Search& s_;
  const Targets& t_;
  double log_level_;
  double unit_ = 1;  // of impurities: one nat
  u32 degrees_ = 0;
};

}  // namespace

bool splits_are_noise(const Search& s, double level) {
  return NoiseGate(s, level).closed();
}

bool splits_are_noise(const Search& s, const Plan& plan, double level) {
  return NoiseGate(s, level).closed(plan);
}

}  // namespace dpdtree
