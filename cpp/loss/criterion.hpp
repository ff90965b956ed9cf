// A criterion is the cost of making one leaf of a set of rows, times its weight: as a
// loss it is what the dynamic program minimises, as a criterion what proposes splits.
// Adding one: its own header, a name here, a case in `impurity_sum` and one in each
// function of leaf.cpp. CONTRIBUTING.md goes through an example.
#pragma once

#include <span>
#include <string>

#include "base/types.hpp"
#include "loss/cost_matrix.hpp"
#include "loss/entropy.hpp"
#include "loss/gini.hpp"
#include "loss/pinball.hpp"
#include "loss/poisson.hpp"
#include "loss/squared_error.hpp"
#include "loss/targets.hpp"
#include "loss/zero_one.hpp"

namespace dpdtree {

enum class Criterion {
  zero_one,
  gini,
  entropy,
  log_loss,
  cost_matrix,
  squared_error,
  poisson,
  absolute_error,
  quantile,
  fixed_sides  // internal: see split/loss_accumulators.hpp
};

// Throws InputError if there is none of that name.
Criterion criterion_of(const std::string& name);

// True if the cost of a leaf is no function of its statistics.
inline bool needs_rows(Criterion criterion) {
  return criterion == Criterion::absolute_error || criterion == Criterion::quantile;
}

// Of the measures that need rows.
inline Pinball pinball_of(Criterion criterion, const Targets& targets) {
  if (criterion == Criterion::absolute_error) return {0.5, 2};
  return {targets.quantile, 1};
}

// The measures of simple targets (one output, no logarithms) that are functions of
// their statistics alone.
inline double impurity_sum(Criterion criterion, std::span<const double> stats) {
  switch (criterion) {
    case Criterion::zero_one:
      return ZeroOne::impurity_sum(stats);
    case Criterion::gini:
      return Gini::impurity_sum(stats);
    case Criterion::entropy:
      return Entropy::impurity_sum(stats);
    case Criterion::log_loss:
      return LogLoss::impurity_sum(stats);
    default:
      return SquaredError::impurity_sum(stats);
  }
}

// Any criterion of any targets; what it sums over several outputs.
double general_impurity(Criterion criterion, const Targets& targets,
                        std::span<const Row> rows, std::span<const double> stats);

inline double impurity_sum(Criterion criterion, const Targets& targets,
                           std::span<const Row> rows, std::span<const double> stats) {
  const bool simple =
      !targets.general && criterion != Criterion::cost_matrix && !needs_rows(criterion);
  return simple ? impurity_sum(criterion, stats)
                : general_impurity(criterion, targets, rows, stats);
}

// A lower bound of the impurity of any tree with at most n_leaves leaves, two or more.
double least_impurity(Criterion criterion, const Targets& targets,
                      std::span<const double> stats, u64 n_leaves);

// True if a split that is best for the criterion is best for the loss as well.
inline bool same_minimiser(Criterion criterion, Criterion loss) {
  return criterion == loss ||
         (criterion == Criterion::entropy && loss == Criterion::log_loss);
}

// The unit of a criterion where targets were divided by y_scale.
double unit_of(Criterion criterion, const Targets& targets);

}  // namespace dpdtree
