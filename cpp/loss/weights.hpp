// Weights in a form that no common factor changes. Only their ratios matter to a
// search, so ties must not fall otherwise because every weight was multiplied by three.
#pragma once

#include <span>
#include <vector>

namespace dpdtree {

// weight[i] · scale is the weight given, but for rounding. One of three forms:
// whole: weights stand to each other as whole numbers do, and are the smallest of them.
// real: shares of the largest weight, rounded to so many digits that every sum is
// exact;
//   sums of the same rows are then equal in any order, and rounding leaves no trace
//   that a factor could change.
// Weights too far apart for that are divided by a power of two, without rounding.
struct NormalizedWeights {
  std::vector<double> weight;  // empty: all are equal, or zero
  double scale = 1;
  bool whole = true;
  bool counts = true;  // the weights given are whole numbers themselves
  bool exact = true;   // no sum of them takes rounding
};

// Of those above zero.
double smallest_weight(std::span<const double> weights);

// Weights are finite and not negative.
NormalizedWeights normalize_weights(std::span<const double> weights);

}  // namespace dpdtree
