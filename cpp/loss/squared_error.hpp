// Sum of squared errors around the mean, from (weight, Σwy of each output, Σwy²).
#pragma once

#include <span>

#include "base/types.hpp"

namespace dpdtree {

struct SquaredError {
  static double impurity_sum(std::span<const double> moments, u32 n_outputs = 1) {
    if (moments[0] <= 0) return 0;
    double m = moments[n_outputs + 1];
    for (u32 j = 1; j <= n_outputs; ++j) m -= moments[j] * moments[j] / moments[0];
    return m > 0 ? m : 0;
  }
};

}  // namespace dpdtree
