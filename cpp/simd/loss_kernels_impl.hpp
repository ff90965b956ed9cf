// Included once per instruction set, by kernels_impl.hpp.
#pragma once

#include <bit>
#include <cmath>

#include "simd/gradient_kernels_impl.hpp"
#include "simd/loss_kernels.hpp"

namespace dpdtree::boosting {
inline namespace DPDTREE_LANES {

// Nothing that is written is read: rows may be taken several at a time.
#if defined(__clang__)
#define DPDTREE_APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DPDTREE_APART _Pragma("GCC ivdep")
#else
#define DPDTREE_APART
#endif

// Choices by bits: no branch for the compiler to see.
inline double where(i64 mask, double a) {
  return std::bit_cast<double>(std::bit_cast<i64>(a) & mask);
}
inline double where(i64 mask, double a, double b) {
  return std::bit_cast<double>((std::bit_cast<i64>(a) & mask) |
                               (std::bit_cast<i64>(b) & ~mask));
}

// In steps, each of which the compiler vectorises; what they hand on stays in the first
// cache.
inline void logistic_step(const LogisticRows& rows, const double* e) {
  const double* raw = rows.raw;
  const double* y = rows.y;
  float* gradient = rows.gradient;
  float* hessian = rows.hessian;
  const std::size_t n = rows.n;
  DPDTREE_APART
  for (std::size_t i = 0; i < n; ++i) {
    const double likely = 1 / (1 + e[i]);
    const double unlikely = e[i] * likely;
    const i64 negative = std::bit_cast<i64>(raw[i]) >> 63;  // all bits, or none
    gradient[i] = static_cast<float>(where(negative, unlikely, likely) - y[i]);
    hessian[i] = static_cast<float>(likely * unlikely);
  }
}

// exp(-|score|): never too large.
inline void exponentials_below_one(const double* raw, std::size_t n, double* e) {
  DPDTREE_APART
  for (std::size_t i = 0; i < n; ++i) e[i] = exponential(-std::fabs(raw[i]));
}

inline void logistic_with_losses(const LogisticRows& rows, double* losses) {
  const double* raw = rows.raw;
  const double* y = rows.y;
  const std::size_t n = rows.n;
  exponentials_below_one(raw, n, losses);
  logistic_step(rows, losses);
  DPDTREE_APART
  for (std::size_t i = 0; i < n; ++i) {
    const i64 negative = std::bit_cast<i64>(raw[i]) >> 63;
    losses[i] = logarithm(1 + losses[i]) + (where(~negative, raw[i]) - y[i] * raw[i]);
  }
}

inline void logistic(const LogisticRows& rows) {
  constexpr std::size_t kChunk = 512;
  double e[kChunk];
  for (std::size_t first = 0; first < rows.n; first += kChunk) {
    const std::size_t n = rows.n - first < kChunk ? rows.n - first : kChunk;
    exponentials_below_one(rows.raw + first, n, e);
    logistic_step({rows.raw + first, rows.y + first, n, rows.gradient + first,
                   rows.hessian + first},
                  e);
  }
}

inline void softmax(const SoftmaxRows& rows) {
  const double* e = rows.e;
  const double* total = rows.total;
  const double* y = rows.y;
  float* gradient = rows.gradient;
  float* hessian = rows.hessian;
  const double label = rows.label;
  const double excess = rows.excess;
  const std::size_t n = rows.n;
  DPDTREE_APART
  for (std::size_t i = 0; i < n; ++i) {
    const double p = e[i] / total[i];
    const double hit = where(-static_cast<i64>(y[i] == label), 1);
    gradient[i] = static_cast<float>(p - hit);
    hessian[i] = static_cast<float>(p * (1 - p) * excess);
  }
}

#undef DPDTREE_APART

inline LossKernels make_loss_kernels() {
  return {logistic, logistic_with_losses, softmax};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree::boosting
