// Which boundary is best. Every criterion's score is larger for a better split, and its
// decrease of impurity follows from the score (see accumulators.hpp).
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/tolerance.hpp"

namespace dpdtree {

struct BestPlace {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t place = kNone;
  double score = 0;
  double tie = 0;  // decides between equal scores, larger is better
};

// The first place in [lo, hi) of the largest numerator(i) / denominator(i), if that is
// larger than `floor`. A block is divided out only if a product says it could win, so
// almost all of the loop is multiplications that vectorise. Where both are sums of
// integers below 2^53 the quotient is correctly rounded, and exact ties stay ties.
template <class Ratio>
BestPlace best_ratio(std::size_t lo, std::size_t hi, double floor, Ratio ratio) {
  constexpr std::size_t kBlock = 32;
  double num[kBlock];
  double den[kBlock];
  BestPlace best{BestPlace::kNone, floor};
  for (std::size_t start = lo; start < hi; start += kBlock) {
    const std::size_t count = std::min(kBlock, hi - start);
    for (std::size_t i = 0; i < count; ++i) ratio(start + i, num[i], den[i]);
    const double limit =
        best.score - kRounding * (best.score < 0 ? -best.score : best.score);
    int hits = 0;
    for (std::size_t i = 0; i < count; ++i) hits += num[i] > limit * den[i];
    if (hits == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const double score = num[i] / den[i];
      if (score > best.score) best = {start + i, score, 0};
    }
  }
  return best;
}

}  // namespace dpdtree
