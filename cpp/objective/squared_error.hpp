// Sum of squared errors around the mean, from (weight, Σwy, Σwy²).
#pragma once

#include <span>

namespace dpdtree {

struct SquaredError {
  static double mass(std::span<const double> moments) {
    if (moments[0] <= 0) return 0;
    const double m = moments[2] - moments[1] * moments[1] / moments[0];
    return m > 0 ? m : 0;
  }
};

}  // namespace dpdtree
