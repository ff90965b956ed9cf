// A measure is the cost of making one leaf of a set of rows, times its weight: as a
// loss it is what the dynamic program minimises, as a criterion what proposes splits.
// Adding one: its own header, a name here, a case in `mass` and one in each function of
// leaf.cpp. CONTRIBUTING.md goes through an example.
#pragma once

#include <span>
#include <string>

#include "base/types.hpp"
#include "objective/cost_matrix.hpp"
#include "objective/entropy.hpp"
#include "objective/gini.hpp"
#include "objective/pinball.hpp"
#include "objective/poisson.hpp"
#include "objective/squared_error.hpp"
#include "objective/targets.hpp"
#include "objective/zero_one.hpp"

namespace dpdtree {

enum class Measure {
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
Measure measure_of(const std::string& name);

// True if the cost of a leaf is no function of its statistics.
inline bool needs_rows(Measure measure) {
  return measure == Measure::absolute_error || measure == Measure::quantile;
}

// Of the measures that need rows.
inline Pinball pinball_of(Measure measure, const Targets& targets) {
  if (measure == Measure::absolute_error) return {0.5, 2};
  return {targets.quantile, 1};
}

// The measures of simple targets (one output, no logarithms) that are functions of
// their statistics alone.
inline double mass(Measure measure, std::span<const double> stats) {
  switch (measure) {
    case Measure::zero_one:
      return ZeroOne::mass(stats);
    case Measure::gini:
      return Gini::mass(stats);
    case Measure::entropy:
      return Entropy::mass(stats);
    case Measure::log_loss:
      return LogLoss::mass(stats);
    default:
      return SquaredError::mass(stats);
  }
}

// Any measure of any targets; what it sums over several outputs.
double general_mass(Measure measure, const Targets& targets, std::span<const Row> rows,
                    std::span<const double> stats);

inline double mass(Measure measure, const Targets& targets, std::span<const Row> rows,
                   std::span<const double> stats) {
  const bool simple =
      !targets.general && measure != Measure::cost_matrix && !needs_rows(measure);
  return simple ? mass(measure, stats) : general_mass(measure, targets, rows, stats);
}

// A lower bound of the mass of any tree with at most n_leaves leaves, two or more.
double least_mass(Measure measure, const Targets& targets,
                  std::span<const double> stats, u64 n_leaves);

// True if a split that is best for the criterion is best for the loss as well.
inline bool same_minimiser(Measure criterion, Measure loss) {
  return criterion == loss ||
         (criterion == Measure::entropy && loss == Measure::log_loss);
}

// The unit of a measure where targets were divided by y_scale.
double unit_of(Measure measure, const Targets& targets);

}  // namespace dpdtree
