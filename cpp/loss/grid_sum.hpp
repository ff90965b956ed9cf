// Sums over rows that depend on no order, in two quick passes: the largest term, then
// all terms in multiples of a power of two that follows from it.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/exact_sum.hpp"

namespace dpdtree {

// The largest |f(row)| of rows begin … end-1.
template <class F>
double largest_term(std::size_t begin, std::size_t end, const F& f) {
  constexpr std::size_t kLanes = 4;  // nothing waits for what came just before
  double largest[kLanes] = {};
  const auto note = [&](double term, double& top) {
    const double size = std::fabs(term);
    top = size > top ? size : top;
  };
  std::size_t i = begin;
  for (; i + kLanes <= end; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) note(f(i + k), largest[k]);
  for (; i < end; ++i) note(f(i), largest[0]);
  return *std::max_element(largest, largest + kLanes);
}

// Σ f(row), each on the grid.
template <class F>
double sum_on_grid(std::size_t begin, std::size_t end, const Grid& grid, const F& f) {
  constexpr std::size_t kLanes = 4;
  double sum[kLanes] = {};
  std::size_t i = begin;
  for (; i + kLanes <= end; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) sum[k] += grid(f(i + k));
  for (; i < end; ++i) sum[0] += grid(f(i));
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Σ f(row) over rows begin … end-1.
template <class F>
double grid_sum(std::size_t begin, std::size_t end, const F& f) {
  const Grid grid(largest_term(begin, end, f), end - begin);
  return sum_on_grid(begin, end, grid, f);
}

}  // namespace dpdtree
