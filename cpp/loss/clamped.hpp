// What a leaf loses by predicting something else than its own mean (of numbers, or of
// two classes 0 and 1).
#pragma once

#include <cmath>
#include <numbers>

#include "loss/criterion.hpp"

namespace dpdtree {

// The smallest probability of class 1 at which class 1 is predicted.
inline const double kLeastOfClassOne = std::nextafter(0.5, 1.0);

inline double weighted_log_ratio(double weight, double own, double told) {
  return weight > 0 ? weight * std::log(own / told) : 0;
}

// The loss of the rows if `told` is predicted, less their loss by their own mean.
inline double excess_impurity(Criterion criterion, double sum, double weight,
                              double told) {
  const double mean = sum / weight;
  if (mean == told) return 0;
  switch (criterion) {
    case Criterion::zero_one: {
      const double lead = 2 * sum - weight;  // of class 1
      return told > 0.5 ? std::max(0.0, -lead) : std::max(0.0, lead);
    }
    case Criterion::gini:
      return 2 * weight * (mean - told) * (mean - told);
    case Criterion::entropy:
      return excess_impurity(Criterion::log_loss, sum, weight, told) /
             std::numbers::ln2;
    case Criterion::log_loss:
      return std::max(0.0, weighted_log_ratio(sum, mean, told) +
                               weighted_log_ratio(weight - sum, 1 - mean, 1 - told));
    default:
      return weight * (mean - told) * (mean - told);
  }
}

}  // namespace dpdtree
