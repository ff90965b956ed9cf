// A measure is the cost of making one leaf of a set of rows, times its weight: as a
// loss it is what the dynamic program minimises, as a criterion what proposes splits.
// Adding one: its own header, a name here, a case in `mass`.
#pragma once

#include <span>

#include "base/types.hpp"
#include "objective/entropy.hpp"
#include "objective/gini.hpp"
#include "objective/squared_error.hpp"
#include "objective/zero_one.hpp"

namespace dpdtree {

// `fixed_sides` is internal: see split/loss_accumulators.hpp.
enum class Measure { zero_one, gini, entropy, log_loss, squared_error, fixed_sides };

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
    case Measure::squared_error:
    case Measure::fixed_sides:
      break;
  }
  return SquaredError::mass(stats);
}

// A lower bound of the mass of any tree with at most n_leaves leaves.
inline double least_mass(Measure measure, std::span<const double> stats, u64 n_leaves) {
  if (n_leaves == 1) return mass(measure, stats);
  return measure == Measure::zero_one ? ZeroOne::least_mass(stats, n_leaves) : 0;
}

// True if a split that is best for the criterion is best for the loss as well.
inline bool same_minimiser(Measure criterion, Measure loss) {
  return criterion == loss ||
         (criterion == Measure::entropy && loss == Measure::log_loss);
}

}  // namespace dpdtree
