// The objective as the solver sees it: what a leaf costs, what a split costs, and what
// any tree below a state costs at least. All in unnormalised sums.
#pragma once

#include <algorithm>
#include <span>

#include "objective/measure.hpp"
#include "solve/value.hpp"
#include "split/split.hpp"

namespace dpdtree {

// path_length: a split costs alpha for every row that passes it; n_leaves: each split
// costs alpha times the whole weight, whatever its rows.
enum class Complexity { path_length, n_leaves };

struct Cost {
  Measure loss = Measure::zero_one;
  Measure criterion = Measure::gini;
  Complexity complexity = Complexity::path_length;
  double alpha = 0;
  double total_weight = 0;
  double loss_unit = 1;  // of the caller's loss, per unit of ours (squared targets)

  Value leaf(std::span<const double> stats) const {
    return {mass(loss, stats), 1, mass(criterion, stats)};
  }
  // Zero where alpha is, even if the unit over- or underflows.
  double penalty_rate() const { return alpha == 0 ? 0 : alpha / loss_unit; }
  double penalty(double state_weight) const {
    return penalty_rate() *
           (complexity == Complexity::path_length ? state_weight : total_weight);
  }
  // Of any tree of at most that many levels that splits the state at least once.
  double least_after_split(const NodeView& s, u32 levels) const {
    return penalty(s.weight) + least_mass(loss, s.stats, max_leaves(levels));
  }
  // Of any tree of at most that many levels.
  double least(const NodeView& s, u32 levels) const {
    if (levels == 0) return mass(loss, s.stats);
    return std::min(mass(loss, s.stats), least_after_split(s, levels));
  }

 private:
  static u64 max_leaves(u32 levels) { return levels < 63 ? 1ULL << levels : ~0ULL; }
};

}  // namespace dpdtree
