// Included once per instruction set, by kernels_impl.hpp.
#pragma once

#include <cstddef>

#include "base/types.hpp"
#include "simd/ratio_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

template <class Number>
std::size_t ratios_of(const Number* s, const Number* w, std::size_t n, double all_s,
                      double all_w, double limit, double* __restrict num,
                      double* __restrict den) {
  u64 hits = 0;  // as wide as a score
  for (std::size_t i = 0; i < n; ++i) {
    const auto sum = static_cast<double>(s[i]), weight = static_cast<double>(w[i]);
    const double d = sum * all_w - all_s * weight;
    num[i] = d * d;
    den[i] = weight * (all_w - weight);
    hits += num[i] > limit * den[i] ? 1 : 0;
  }
  return hits;
}

inline std::size_t ratios_of_squares(const double* a, const double* b, const i32* w,
                                     std::size_t n, double all_w, double limit,
                                     double* __restrict num, double* __restrict den) {
  u64 hits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double left = w[i], right = all_w - left;
    num[i] = a[i] * right + b[i] * left;
    den[i] = left * right;
    hits += num[i] > limit * den[i] ? 1 : 0;
  }
  return hits;
}

inline RatioKernels make_ratio_kernels() {
  return {ratios_of<i32>, ratios_of<double>, ratios_of_squares};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
