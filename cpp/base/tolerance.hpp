// How far two numbers may be apart and still be the same but for rounding. Each one is
// relative: to the root's loss, the whole weight, or the larger of what is compared.
#pragma once

#include <algorithm>

namespace dpdtree {

// Sums of 10⁶ and more terms, added in different orders, agree to some 1e-13; values of
// trees that really differ do so by a row's share of the loss, far more than this.
inline constexpr double kRounding = 1e-12;

// What is skipped unseen must be worse beyond doubt: far above the rounding of a bound,
// which adds up along a path, and far below any difference between two trees.
inline constexpr double kPruningMargin = 1e-9;

// A statistic that is the difference of two others, each rounded once.
inline constexpr double kDifferenceRounding = 1e-13;

// Σwy² - (Σwy)²/w below this share of Σwy² may be nothing but cancellation.
inline constexpr double kCancellation = 1e-10;

// Gains over two levels: the same cells, reached by two different first splits, give
// sums that agree to this.
inline constexpr double kGainNoise = 1e-6;

// Whether a decrease of impurity reaches the least one allowed.
inline bool reaches(double decrease, double least) {
  return decrease + kRounding * std::max(1.0, least) >= least;
}

}  // namespace dpdtree
