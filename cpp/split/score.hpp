// Which boundary is best. Every criterion's score is larger for a better split, and its
// decrease of impurity follows from the score (see accumulators.hpp).
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/tolerance.hpp"

namespace dpdtree {

struct BestBoundary {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t boundary = kNone;
  double score = 0;
  double tie = 0;  // decides between equal scores, larger is better
};

// The first boundary in [lo, hi) of the largest quotient, if that is larger than
// `floor`. fill(start, n, limit, num, den) writes n numerators and denominators and
// returns how many quotients exceed the limit: a block is divided out only if one of
// them does, so almost all of the work is multiplications that vectorise. Where both
// are sums of integers below 2^53 the quotient is correctly rounded, and exact ties
// stay ties.
template <class Fill>
BestBoundary best_quotient(std::size_t lo, std::size_t hi, double floor, Fill fill) {
  constexpr std::size_t kBlock = 32;
  double num[kBlock];
  double den[kBlock];
  BestBoundary best{BestBoundary::kNone, floor};
  for (std::size_t start = lo; start < hi; start += kBlock) {
    const std::size_t count = std::min(kBlock, hi - start);
    const double limit =
        best.score - kRounding * (best.score < 0 ? -best.score : best.score);
    if (fill(start, count, limit, num, den) == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      const double score = num[i] / den[i];
      if (score > best.score) best = {start + i, score, 0};
    }
  }
  return best;
}

// The same with ratio(i, num, den), for what has no kernel.
template <class Ratio>
BestBoundary best_ratio(std::size_t lo, std::size_t hi, double floor, Ratio ratio) {
  return best_quotient(
      lo, hi, floor,
      [&](std::size_t start, std::size_t n, double limit, double* num, double* den) {
        int hits = 0;
        for (std::size_t i = 0; i < n; ++i) {
          ratio(start + i, num[i], den[i]);
          hits += num[i] > limit * den[i];
        }
        return hits;
      });
}

}  // namespace dpdtree
