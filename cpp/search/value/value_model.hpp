// A value model says what a state is worth: one number (ScalarValue), a number for each
// alpha (AlphaHull) or one for each number of leaves (LeafBudgetFront). The dynamic
// program is the same for all of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <vector>

#include "base/tolerance.hpp"
#include "plan/objective.hpp"
#include "plan/plan.hpp"
#include "plan/search_context.hpp"

namespace dpdtree {

// `Front` is the value of a state with its plans, `Bound` something no value of a state
// can be below, `Budget` what a value has to stay within to matter further up, `Price`
// what a split costs. All are compared by the model alone.
template <class V>
concept ValueModel =
    requires(const V v, const NodeView s, SearchContext& context, const Split split,
             typename V::Front& front, const typename V::Front known,
             const typename V::Bound b, const typename V::Budget budget,
             const typename V::Price price, u32 levels, double loss) {
      { v.cost() } -> std::same_as<const Cost&>;
      { v.leaf(s) } -> std::same_as<typename V::Front>;
      { v.price(context, s, split) } -> std::same_as<typename V::Price>;
      { v.least_price(s) } -> std::same_as<typename V::Price>;

      // The Bellman backup: the best of what there is and of this split, whose sides
      // are known. `add` takes in plans of the same state, `own_plans` those of one
      // split alone.
      v.backup(front, split, price, known, known);
      v.add(front, known);
      v.own_plans(front, split, price, known, known);

      { v.bound_of(known) } -> std::same_as<typename V::Bound>;
      { v.after_split(s, levels) } -> std::same_as<typename V::Bound>;
      { v.after_stump(s, loss) } -> std::same_as<typename V::Bound>;
      { v.either(b, b) } -> std::same_as<typename V::Bound>;
      { v.sum(price, b, b) } -> std::same_as<typename V::Bound>;
      { v.sort_key(b) } -> std::same_as<double>;
      { v.useless(b, known) } -> std::same_as<bool>;  // no better than what is known
      { v.exceeds(b, budget) } -> std::same_as<bool>;

      { V::unlimited() } -> std::same_as<typename V::Budget>;
      { V::limited(budget) } -> std::same_as<bool>;
      { v.lower_of(budget, known) } -> std::same_as<typename V::Budget>;
      { v.for_side(budget, price, b) } -> std::same_as<typename V::Budget>;

      { V::bytes(known) } -> std::same_as<std::size_t>;
      // True if a value within its budget may still be incomplete.
      { V::kPartial } -> std::convertible_to<bool>;
    };

// What the three of them have in common.
class ValueModelBase {
 public:
  ValueModelBase(const Cost& cost, const NodeView& root) : cost_(cost) {
    double scale = cost.leaf_loss(root) + cost.penalty(root.weight);
    // Sums of weights round by their whole, beside which a loss may be tiny.
    if (cost.targets->classification() && cost.targets->weighted())
      scale = std::max(scale, 0.01 * cost.total_weight);
    order_.tolerance = kRounding * scale;
    margin_ = kPruningMargin * scale;
  }

  const Cost& cost() const { return cost_; }
  const ValueOrder& order() const { return order_; }

 protected:
  // Better value first, then the earlier plan.
  bool better(const Value& a, const Plan& a_plan, const Value& b,
              const Plan& b_plan) const {
    const int c = order_.compare(a, b);
    return c != 0 ? c < 0 : earlier_plan(a_plan, b_plan);
  }

  Cost cost_;
  ValueOrder order_;
  double margin_ = 0;  // of pruning
};

// A point of a bound: y is the least loss (or objective) at complexity x.
struct BoundPoint {
  double x = 0;
  double y = 0;
};

}  // namespace dpdtree
