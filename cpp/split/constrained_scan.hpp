// The best boundary of a feature at a node with constraints that rank splits: what it
// decreases within the bounds of the node, less what its feature costs.
#pragma once

#include <algorithm>

#include "loss/clamped.hpp"
#include "node/constraints.hpp"
#include "split/accumulators.hpp"

namespace dpdtree {

// True where scores are net decreases: they compare with each other, but not with the
// scores of an accumulator.
inline bool ranked_by_net(const NodeView& node) {
  return node.constraints && node.constraints->rules->rank_splits();
}

struct NetScan {
  const NodeView& node;
  Criterion criterion;
  u32 feature;

  const NodeConstraints& constraints() const { return *node.constraints; }
  double price() const { return node.weight * constraints().price(feature); }

  template <class A>
  BestBoundary best(const A& acc, const LeftSums& b, std::size_t lo,
                    std::size_t hi) const {
    BestBoundary best =
        all_alike() ? best_of_all(acc, b, lo, hi) : best_in_order(acc, b, lo, hi);
    if (best.boundary == BestBoundary::kNone) return best;
    best.score -= price();
    if (constraints().strict && price() > 0 && best.score <= 0)
      best.boundary = BestBoundary::kNone;
    return best;
  }

 private:
  // No boundary is out of order, nor worth less for its bounds.
  bool all_alike() const {
    const NodeConstraints& c = constraints();
    return c.rules->direction(feature) == 0 && (c.strict || !c.bounded());
  }

  template <class A>
  static BestBoundary best_of_all(const A& acc, const LeftSums& b, std::size_t lo,
                                  std::size_t hi) {
    BestBoundary best = acc.best(b, lo, hi, A::kLeastScore);
    if (best.boundary != BestBoundary::kNone) best.score = acc.decrease(best.score);
    return best;
  }

  // Boundaries that lose nothing by the bounds are searched run by run, the others one
  // by one. What is out of order gains nothing by itself, but may with splits below it:
  // it comes last.
  template <class A>
  BestBoundary best_in_order(const A& acc, const LeftSums& b, std::size_t lo,
                             std::size_t hi) const {
    if constexpr (requires { acc.sides(b, lo); }) {
      BestBoundary best, disorder;
      std::size_t first = lo;  // of the current run
      for (std::size_t i = lo; i < hi; ++i) {
        const SideSums s = acc.sides(b, i);
        const bool possible = in_order(s);
        const double lost = possible ? excess(s) : 0;
        if (possible && lost == 0) continue;
        backup(best, best_of_all(acc, b, first, i));
        first = i + 1;
        BestBoundary one = best_of_all(acc, b, i, i + 1);
        one.score -= lost;
        backup(possible ? best : disorder, one);
      }
      backup(best, best_of_all(acc, b, first, hi));
      if (best.boundary != BestBoundary::kNone || constraints().strict) return best;
      disorder.score = -excess_of_bounds(criterion, node);
      return disorder;
    } else {
      return best_of_all(acc, b, lo, hi);  // more than two classes: never monotone
    }
  }

  static void backup(BestBoundary& best, const BestBoundary& one) {
    if (one.boundary == BestBoundary::kNone) return;
    if (best.boundary == BestBoundary::kNone || one.score > best.score ||
        (one.score == best.score && one.tie > best.tie))
      best = one;
  }

  bool in_order(const SideSums& s) const {
    const NodeConstraints& c = constraints();
    const i32 direction = c.rules->direction(feature);
    const double left = s.left_sum / s.left_weight,
                 right = s.right_sum / s.right_weight;
    if (c.strict)
      return std::min(left, right) >= c.low && std::max(left, right) <= c.high &&
             (left - right) * direction <= 0;
    return (c.clamp(left) - c.clamp(right)) * direction <= 0;
  }

  double excess(const SideSums& s) const {
    const NodeConstraints& c = constraints();
    if (!c.bounded() || c.strict) return 0;
    const auto of_side = [&](double sum, double weight) {
      return excess_impurity(criterion, sum, weight, c.clamp(sum / weight));
    };
    return of_side(s.left_sum, s.left_weight) + of_side(s.right_sum, s.right_weight);
  }
};

}  // namespace dpdtree
