// All numbers of leaves at once: a state is worth the best objective with at most k
// leaves, for every k. Only the k where it gets better are kept.
#pragma once

#include <vector>

#include "search/value/value_model.hpp"

namespace dpdtree {

class LeafBudgetFront : public ValueModelBase {
 public:
  using Front = std::vector<Solution>;  // x = leaves ascending, objective descending
  using Bound = std::vector<BoundPoint>;
  // Steps (leaves, value): the value from that many leaves on; empty: no limit.
  struct Budget {
    std::vector<BoundPoint> steps;
  };
  using Price = double;  // of a split
  static constexpr bool kPartial = true;

  LeafBudgetFront(const Cost& cost, const NodeView& root, u64 max_leaves)
      : ValueModelBase(cost, root), max_leaves_(max_leaves) {}

  Front leaf(const NodeView& s) const { return {{cost_.leaf(s), nullptr, 1}}; }
  double least_price(const NodeView& s) const { return cost_.least_price(s.weight); }
  double price(SearchContext& c, const NodeView& s, const Split& split) const {
    return cost_.price(c, s, split) + Cost::feature_price(s, split);
  }

  Bound bound_of(const Front& front) const;
  Bound after_split(const NodeView& s, u32 levels) const;
  Bound after_stump(const NodeView& s, double loss) const {
    return {{2, least_price(s) + loss}};
  }
  Bound either(const Bound& a, const Bound& b) const;
  Bound sum(double price, const Bound& left, const Bound& right) const;
  double sort_key(const Bound& bound) const { return bound.back().y; }

  bool useless(const Bound& bound, const Front& best) const;
  bool exceeds(const Bound& bound, const Budget& budget) const;
  static Budget unlimited() { return {}; }
  static bool limited(const Budget& budget) { return !budget.steps.empty(); }
  Budget lower_of(const Budget& budget, const Front& best) const;
  Budget for_side(const Budget& budget, double price, const Bound& other) const;

  void backup(Front& best, const Split& split, double price, const Front& left,
              const Front& right) const;
  // Adds points that may be worse than what there is.
  void add(Front& front, const Front& more) const;

  void own_plans(Front& front, const Split& split, double price, const Front& left,
                 const Front& right) const {
    backup(front, split, price, left, right);
  }

  // The plans of a split that has to be made.
  Front only(const Split& split, double price, const Front& left,
             const Front& right) const {
    Front front;
    backup(front, split, price, left, right);
    return front;
  }

  static std::size_t bytes(const Front& front) {
    return 96 + front.size() * (sizeof(Solution) + sizeof(PlanNode));
  }

 private:
  void keep_improving(Front& front) const;

  u64 max_leaves_;
};

}  // namespace dpdtree
