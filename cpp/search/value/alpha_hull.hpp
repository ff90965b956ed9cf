// All alphas at once: a state is worth the lower convex hull of the (complexity, loss)
// of its trees. At a given alpha a hull is worth the smallest loss + alpha · complexity
// of its points: a concave, piecewise linear function of alpha.
#pragma once

#include <vector>

#include "search/value/value_model.hpp"

namespace dpdtree {

class AlphaHull : public ValueModelBase {
 public:
  using Front = std::vector<Solution>;  // complexity ascending, loss descending, convex
  using Bound = std::vector<BoundPoint>;
  // Knots (alpha, value), linear in between and not rising beyond; empty: no limit.
  // A bound is concave, so that to exceed the budget at its knots is to exceed it.
  struct Budget {
    std::vector<BoundPoint> knots;
  };
  // Of a split: its complexity, and what its feature costs at any alpha.
  struct Price {
    double complexity = 0;
    double loss = 0;
  };
  static constexpr bool kPartial = true;

  AlphaHull(const Cost& cost, const NodeView& root);

  Front leaf(const NodeView& s) const;
  Price least_price(const NodeView& s) const {
    return {cost_.complexity_weight(s.weight), 0};
  }
  Price price(SearchContext&, const NodeView& s, const Split& split) const {
    return {cost_.complexity_weight(s.weight), Cost::feature_price(s, split)};
  }

  Bound bound_of(const Front& front) const;
  Bound after_split(const NodeView& s, u32 levels) const;
  Bound after_stump(const NodeView& s, double loss) const;
  Bound either(const Bound& a, const Bound& b) const;
  Bound sum(const Price& price, const Bound& left, const Bound& right) const;
  double sort_key(const Bound& bound) const;

  bool useless(const Bound& bound, const Front& best) const;
  bool exceeds(const Bound& bound, const Budget& budget) const;
  static Budget unlimited() { return {}; }
  static bool limited(const Budget& budget) { return !budget.knots.empty(); }
  Budget lower_of(const Budget& budget, const Front& best) const;
  Budget for_side(const Budget& budget, const Price& price, const Bound& other) const;

  void backup(Front& best, const Split& split, const Price& price, const Front& left,
              const Front& right) const;
  // Adds points that need not lie on the hull.
  void add(Front& front, const Front& more) const;

  void own_plans(Front& front, const Split& split, const Price& price,
                 const Front& left, const Front& right) const {
    backup(front, split, price, left, right);
  }

  // The plans of a split that has to be made.
  Front only(const Split& split, const Price& price, const Front& left,
             const Front& right) const {
    Front front;
    backup(front, split, price, left, right);
    return front;
  }

  static std::size_t bytes(const Front& front) {
    return 96 + front.size() * (sizeof(Solution) + sizeof(PlanNode));
  }

 private:
  double x_tolerance_;
};

}  // namespace dpdtree
