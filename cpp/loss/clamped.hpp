// What a leaf loses by predicting something else than its own mean (of numbers, or of
// two classes 0 and 1).
#pragma once

#include <cmath>

#include "loss/registry.hpp"

namespace dpdtree {

// The smallest probability of class 1 at which class 1 is predicted.
inline const double kLeastOfClassOne = std::nextafter(0.5, 1.0);

// The loss of the rows if `told` is predicted, less their loss by their own mean.
inline double excess_impurity(Criterion criterion, double sum, double weight,
                              double told) {
  return sum / weight == told ? 0 : loss_info(criterion).excess(sum, weight, told);
}

}  // namespace dpdtree
