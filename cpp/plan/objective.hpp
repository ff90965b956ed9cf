// The objective as the solver sees it: what a leaf costs, what a split costs, and what
// any tree below a state costs at least. All in unnormalised sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "loss/criterion.hpp"
#include "node/constraints.hpp"
#include "node/split.hpp"
#include "plan/search_context.hpp"
#include "plan/value.hpp"
#include "split/thresholds.hpp"

namespace dpdtree {

// path_length: a split costs alpha for every row that passes it; n_leaves: each split
// costs alpha times the whole weight, whatever its rows; description: each split costs
// what it takes to say which it is, ln p + ln T of its feature and threshold.
enum class Complexity { path_length, n_leaves, description };

struct Cost {
  const Targets* targets = nullptr;
  Criterion loss = Criterion::zero_one;
  Criterion criterion = Criterion::gini;
  Complexity complexity = Complexity::path_length;
  double alpha = 0;
  double total_weight = 0;
  double loss_unit = 1;      // of the caller's loss, per unit of ours (scaled targets)
  double impurity_unit = 1;  // the same of the criterion, mean over outputs
  double price_per_nat = 0;  // description: the price of one unit of ln p + ln T
  double log_features = 0;   // ln p

  double threshold_price() const { return is_mdl() ? price_per_nat : 0; }
  bool is_mdl() const { return complexity == Complexity::description; }

  // Of one leaf made of the rows; times their weight, as all here.
  double leaf_loss(const NodeView& s) const {
    return impurity_sum(loss, *targets, s.rows, s.stats) + excess_of_bounds(loss, s);
  }
  double impurity(const NodeView& s) const {
    return impurity_sum(criterion, *targets, s.rows, s.stats);
  }
  Value leaf(const NodeView& s) const {
    const double own = leaf_loss(s);
    if (criterion == loss) return {own, 1, own};
    return {own, 1, impurity(s) + excess_of_bounds(criterion, s)};
  }
  // What these cost is no function of statistics.
  bool looks_at_rows() const { return needs_rows(loss) || needs_rows(criterion); }
  // A search for a split can bound the errors after any split.
  bool bounds_errors() const {
    return loss == Criterion::zero_one && !targets->general;
  }

  // Zero where alpha is, even if the unit over- or underflows.
  double penalty_rate() const { return alpha == 0 ? 0 : alpha / loss_unit; }
  double complexity_weight(double state_weight) const {
    return complexity == Complexity::path_length ? state_weight : total_weight;
  }
  double penalty(double state_weight) const {
    return penalty_rate() * complexity_weight(state_weight);
  }

  // What a split costs, and what any split of a state of that weight costs at least.
  // `log_choices`: see split/thresholds.hpp.
  double price(double state_weight, double log_choices) const {
    if (!is_mdl()) return penalty(state_weight);
    return price_per_nat * (log_features + log_choices);
  }
  double price(SearchContext& context, const NodeView& s, const Split& split) const {
    if (!is_mdl()) return penalty(s.weight);
    return price(s.weight, context.data.log_choices(context, s, split));
  }
  // What asking the feature of the split costs, if no split above has paid for it.
  static double feature_price(const NodeView& s, const Split& split) {
    return s.constraints ? s.weight * s.constraints->price(split.feature) : 0;
  }
  double least_price(double state_weight) const { return price(state_weight, 0.0); }

  // Of any tree of at most that many leaves, or levels.
  double least_of_leaves(const NodeView& s, u64 leaves) const {
    if (leaves == 1) return leaf_loss(s);
    return std::max(least_impurity(loss, *targets, s.stats, leaves),
                    least_of_bounds(loss, s));
  }
  double least_loss(const NodeView& s, u32 levels) const {
    return least_of_leaves(s, max_leaves(levels));
  }
  // The same, with the price, if it splits the state at least once.
  double least_after_split(const NodeView& s, u32 levels) const {
    return least_price(s.weight) + least_loss(s, levels);
  }
  // Of any tree of at most that many levels.
  double least(const NodeView& s, u32 levels) const {
    if (levels == 0) return leaf_loss(s);
    return std::min(leaf_loss(s), least_after_split(s, levels));
  }

  static u64 max_leaves(u32 levels) { return levels < 63 ? 1ULL << levels : ~0ULL; }
};

}  // namespace dpdtree
