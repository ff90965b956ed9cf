// What the three kinds of values (one alpha, hull, leaf front) have in common.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "plan/objective.hpp"
#include "plan/plan_tree.hpp"
#include "plan/search_context.hpp"

namespace dpdtree {

// A kind says what a state is worth: `Front` is the value of a state with its plans,
// `Bound` something no value of a state can be below, and `Budget` what a value has to
// stay within to matter further up. All are compared by the kind alone.
class ValueModelBase {
 public:
  ValueModelBase(const Cost& cost, const NodeView& root) : cost_(cost) {
    double scale = cost.leaf_loss(root) + cost.penalty(root.weight);
    // Sums of weights round by their whole, beside which a loss may be tiny.
    if (cost.targets->classification() && cost.targets->weighted())
      scale = std::max(scale, 0.01 * cost.total_weight);
    order_.tolerance = 1e-12 * scale;
    margin_ = 1e-9 * scale;
  }

  const Cost& cost() const { return cost_; }
  const ValueOrder& order() const { return order_; }

 protected:
  // Better value first, then the earlier plan.
  bool better(const Value& a, const PlanPtr& a_plan, const Value& b,
              const PlanPtr& b_plan) const {
    const int c = order_.compare(a, b);
    return c != 0 ? c < 0 : earlier_plan(a_plan, b_plan);
  }

  Cost cost_;
  ValueOrder order_;
  double margin_ = 0;  // of pruning: far above rounding, far below any real difference
};

// A point of a bound: y is the least loss (or objective) at complexity x.
struct BoundPoint {
  double x = 0;
  double y = 0;
};

}  // namespace dpdtree
