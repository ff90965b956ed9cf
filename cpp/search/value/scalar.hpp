// One alpha: a state is worth one number, the smallest objective.
#pragma once

#include <algorithm>
#include <limits>

#include "search/value/value_model.hpp"

namespace dpdtree {

class ScalarValue : public ValueModelBase {
 public:
  using Front = Solution;
  using Bound = double;
  using Budget = double;
  using Price = double;  // of a split
  // A value within its budget is exact, whatever was skipped.
  static constexpr bool kPartial = false;

  using ValueModelBase::ValueModelBase;

  Front leaf(const NodeView& s) const { return {cost_.leaf(s), nullptr}; }
  double least_price(const NodeView& s) const { return cost_.least_price(s.weight); }
  double price(SearchContext& c, const NodeView& s, const Split& split) const {
    return cost_.price(c, s, split) + Cost::feature_price(s, split);
  }

  Bound bound_of(const Front& front) const { return front.value.objective; }
  Bound after_split(const NodeView& s, u32 levels) const {
    return cost_.least_after_split(s, levels);
  }
  Bound after_stump(const NodeView& s, double loss) const {
    return least_price(s) + loss;
  }
  Bound either(Bound a, Bound b) const { return std::min(a, b); }
  Bound sum(double price, Bound left, Bound right) const {
    return price + left + right;
  }
  double sort_key(Bound bound) const { return bound; }

  // Not better than what there is (ties go to what there is).
  bool useless(Bound bound, const Front& best) const {
    return bound >= best.value.objective - order_.tolerance;
  }
  bool exceeds(Bound bound, Budget budget) const { return bound > budget + margin_; }
  static Budget unlimited() { return std::numeric_limits<double>::infinity(); }
  static bool limited(Budget budget) { return budget < unlimited(); }
  Budget lower_of(Budget budget, const Front& best) const {
    return std::min(budget, best.value.objective);
  }
  Budget for_side(Budget budget, double price, Bound other) const {
    return budget - price - other;
  }

  void backup(Front& best, const Split& split, double price, const Front& left,
              const Front& right) const {
    const Value value = combine(price, left.value, right.value);
    const int c = order_.compare(value, best.value);
    const bool split_already = best.plan != nullptr;
    if (c > 0 || (c == 0 && !(split_already && earlier(split, best.plan->split))))
      return;
    best = {value, join(split, left.plan, right.plan)};
  }

  // The split's own best plan, even if a leaf is better.
  void own_plans(Front& front, const Split& split, double price, const Front& left,
                 const Front& right) const {
    front = {combine(price, left.value, right.value),
             join(split, left.plan, right.plan)};
  }

  Front only(const Split& split, double price, const Front& left,
             const Front& right) const {
    Front front;
    own_plans(front, split, price, left, right);
    return front;
  }

  void add(Front& front, const Front& other) const {
    if (better(other.value, other.plan, front.value, front.plan)) front = other;
  }

  static std::size_t bytes(const Front& /*front*/) { return 96 + sizeof(PlanNode); }
};

}  // namespace dpdtree
