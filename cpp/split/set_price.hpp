// What a set of categories has to decrease before it is compared with thresholds.
//
// A feature of k categories offers 2^(k-1) - 1 sets, and the best of so many decreases
// any criterion by chance alone: of 700 diagnosis codes that tell nothing by more than
// the best threshold of a number that tells much. An objective that charges for
// descriptions does not take such a set, but if it is all that is proposed, there is
// nothing else to take. So a set pays for its description where it is proposed.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "loss/criterion.hpp"
#include "node/split.hpp"
#include "split/finder.hpp"
#include "split/scan.hpp"
#include "split/score.hpp"
#include "split/thresholds.hpp"

namespace dpdtree {

// How many numbers tell one leaf from another: class shares that are free, or means.
inline u32 degrees_of_freedom(const Targets& t) {
  return t.classification() ? t.n_classes - t.n_outputs : t.n_outputs;
}

// What one nat is worth in the unit of a criterion's decrease. A split that tells
// nothing decreases the log-loss by half a nat per degree of freedom on average, and
// any other criterion by a row's share of the node's impurity.
inline double worth_of_nat(Criterion criterion, const Targets& t, const NodeView& node,
                           double row_weight) {
  if (criterion == Criterion::entropy || criterion == Criterion::log_loss)
    return row_weight / std::numbers::ln2;  // decreases are in bits
  return 2 * row_weight * impurity_sum(criterion, t, node.rows, node.stats) /
         (node.weight * std::max(1u, degrees_of_freedom(t)));
}

// ln T of a set among those of the categories behind these cells.
inline double log_choices_of(const Split& split, const Column& column,
                             const CategoryScratch& categories,
                             std::span<const u32> cells) {
  u32 left = 0;
  for (const u32 cell : cells) {
    const u32 code = categories.code(cell);
    left += code == column.missing_code() ? split.missing == Missing::left
                                          : split.categories->contains(code);
  }
  return log_category_sets(static_cast<u32>(cells.size()), left);
}

// The prices of the sets of n categories at a node, by how many are in the set.
class SetPrice {
 public:
  SetPrice(const FinderParams& params, const Targets& targets, const NodeView& node,
           std::size_t n_categories)
      : n_(static_cast<u32>(n_categories)) {
    if (params.threshold_price > 0) {
      per_nat_ = params.threshold_price;
    } else if (params.row_weight > 0) {
      per_nat_ = worth_of_nat(params.criterion, targets, node, params.row_weight);
      free_ = log_thresholds(n_);
    }
    if (charges()) fill();
  }

  bool charges() const { return per_nat_ > 0; }
  double of(double log_choices) const {
    return per_nat_ * std::max(0.0, log_choices - free_);
  }

  // The boundary in [lo, hi) of the largest decrease less its price, which is its
  // score. `left_of(j)`: how many categories are left at boundary j.
  template <class A, class LeftOf>
  BestBoundary best(const A& acc, const LeftSums& b, std::size_t lo, std::size_t hi,
                    LeftOf left_of) const {
    BestBoundary best;
    for (std::size_t j = lo; j < hi; ++j) {
      BestBoundary one = acc.best(b, j, j + 1, A::kLeastScore);
      if (one.boundary == BestBoundary::kNone) continue;
      const u32 left = left_of(j);
      one.score = acc.decrease(one.score) - price_[std::min(left, n_ - left)];
      if (best.boundary == BestBoundary::kNone || one.score > best.score ||
          (one.score == best.score && one.tie > best.tie))
        best = one;
    }
    return best;
  }

 private:
  // As log_category_sets has it, one binomial from the other.
  void fill() {
    const u32 most = n_ / 2;  // categories on the smaller side
    price_.resize(most + 1, 0.0);
    if (n_ < 3) return;
    const double how_many = std::log(static_cast<double>(most));
    double log_binomial = 0;
    for (u32 m = 1; m <= most; ++m) {
      log_binomial += std::log(static_cast<double>(n_ - m + 1) / m);
      const double mirrored = 2 * m == n_ ? std::numbers::ln2 : 0;
      price_[m] = of(how_many + log_binomial - mirrored);
    }
  }

  u32 n_;
  double per_nat_ = 0;
  double free_ = 0;  // nats that are not charged: what a threshold of n values takes
  std::vector<double> price_;  // of the smaller side's number of categories
};

}  // namespace dpdtree
