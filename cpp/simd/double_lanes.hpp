// Eight doubles, written once for every instruction set; see lanes.hpp and
// float_lanes.hpp.
#pragma once

#include <cstddef>

#include "simd/float_lanes.hpp"  // and the instructions

namespace dpdtree {
inline namespace DPDTREE_LANES {

#if defined(__AVX2__) && !defined(DPDTREE_PORTABLE_LANES)

struct DoubleLanes {
  __m256d a, b;
  static DoubleLanes load(const double* p) {
    return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
  }
  static DoubleLanes all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  void store(double* p) const {
    _mm256_storeu_pd(p, a);
    _mm256_storeu_pd(p + 4, b);
  }
  DoubleLanes operator+(DoubleLanes o) const {
    return {_mm256_add_pd(a, o.a), _mm256_add_pd(b, o.b)};
  }
  DoubleLanes operator-(DoubleLanes o) const {
    return {_mm256_sub_pd(a, o.a), _mm256_sub_pd(b, o.b)};
  }
  DoubleLanes operator*(DoubleLanes o) const {
    return {_mm256_mul_pd(a, o.a), _mm256_mul_pd(b, o.b)};
  }
  static DoubleLanes max(DoubleLanes x, DoubleLanes y) {
    return {_mm256_max_pd(y.a, x.a), _mm256_max_pd(y.b, x.b)};
  }
};

#elif defined(__SSE2__) && !defined(DPDTREE_PORTABLE_LANES)

struct DoubleLanes {
  __m128d v[4];
  template <class F>
  static DoubleLanes each(F f) {
    return {{f(0), f(1), f(2), f(3)}};
  }
  static DoubleLanes load(const double* p) {
    return each([p](int i) { return _mm_loadu_pd(p + std::ptrdiff_t{2} * i); });
  }
  static DoubleLanes all(double x) {
    return each([x](int) { return _mm_set1_pd(x); });
  }
  void store(double* p) const {
    for (int i = 0; i < 4; ++i) _mm_storeu_pd(p + std::ptrdiff_t{2} * i, v[i]);
  }
  DoubleLanes operator+(const DoubleLanes& o) const {
    return each([&](int i) { return _mm_add_pd(v[i], o.v[i]); });
  }
  DoubleLanes operator-(const DoubleLanes& o) const {
    return each([&](int i) { return _mm_sub_pd(v[i], o.v[i]); });
  }
  DoubleLanes operator*(const DoubleLanes& o) const {
    return each([&](int i) { return _mm_mul_pd(v[i], o.v[i]); });
  }
  static DoubleLanes max(const DoubleLanes& x, const DoubleLanes& y) {
    return each([&](int i) { return _mm_max_pd(y.v[i], x.v[i]); });
  }
};

#else

struct DoubleLanes : PlainLanes<DoubleLanes, double> {};

#endif

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
