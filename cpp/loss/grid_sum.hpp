// Sums over rows that depend on no order, in two quick passes: the largest term, then
// all terms in multiples of a power of two that follows from it.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/exact_sum.hpp"

namespace dpdtree {

// Σ f(row) over rows begin … end-1.
template <class F>
double grid_sum(std::size_t begin, std::size_t end, const F& f) {
  double largest = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double size = std::fabs(f(i));
    largest = size > largest ? size : largest;
  }
  const Grid grid(largest, end - begin);
  double sum[4] = {0, 0, 0, 0};  // no addition waits for the one before it
  std::size_t i = begin;
  for (; i + 4 <= end; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += grid(f(i + k));
  for (; i < end; ++i) sum[0] += grid(f(i));
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace dpdtree
