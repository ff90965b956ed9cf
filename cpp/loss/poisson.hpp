// Half the Poisson deviance about the mean: Σ w·y·ln(y/mean), from the moments with
// Σ w·y·ln y behind them (see targets.hpp).
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "base/types.hpp"

namespace dpdtree {

struct Poisson {
  // A mean of zero would forbid any other count for ever: no leaf may have it.
  static double impurity_sum(std::span<const double> moments, u32 n_outputs) {
    if (moments[0] <= 0) return 0;
    double m = moments[n_outputs + 2];
    for (u32 j = 1; j <= n_outputs; ++j) {
      if (moments[j] <= 0) return std::numeric_limits<double>::infinity();
      m -= moments[j] * std::log(moments[j] / moments[0]);
    }
    return m > 0 ? m : 0;
  }

  // Half the deviance of one target from its prediction.
  static double of(double y, double prediction) {
    return (y > 0 ? y * std::log(y / prediction) : 0) - y + prediction;
  }
};

}  // namespace dpdtree
