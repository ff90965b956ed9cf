// Eight floats, written once for every instruction set; see lanes.hpp. Each operation
// rounds as it does for one number, so results are the same to the last bit.
#pragma once

#include <cstddef>

#include "simd/plain_lanes.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dpdtree {
inline namespace DPDTREE_LANES {

#if defined(__AVX2__) && !defined(DPDTREE_PORTABLE_LANES)

struct FloatLanes {
  __m256 v;
  static FloatLanes load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static FloatLanes all(float x) { return {_mm256_set1_ps(x)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  FloatLanes operator+(FloatLanes o) const { return {_mm256_add_ps(v, o.v)}; }
  FloatLanes operator-(FloatLanes o) const { return {_mm256_sub_ps(v, o.v)}; }
  FloatLanes operator*(FloatLanes o) const { return {_mm256_mul_ps(v, o.v)}; }
  static FloatLanes max(FloatLanes a, FloatLanes b) {
    return {_mm256_max_ps(b.v, a.v)};
  }
  // sum² / weight, or 0 where there is no weight.
  static FloatLanes squares(FloatLanes sum, FloatLanes weight) {
    const __m256 some = _mm256_cmp_ps(weight.v, _mm256_setzero_ps(), _CMP_GT_OQ);
    return {_mm256_and_ps(some, _mm256_div_ps(_mm256_mul_ps(sum.v, sum.v), weight.v))};
  }
  // `otherwise` where n is below the least.
  FloatLanes where_at_least(FloatLanes n, FloatLanes least,
                            FloatLanes otherwise) const {
    const __m256 enough = _mm256_cmp_ps(n.v, least.v, _CMP_GE_OQ);
    return {_mm256_blendv_ps(otherwise.v, v, enough)};
  }
};

#elif defined(__SSE2__) && !defined(DPDTREE_PORTABLE_LANES)

struct FloatLanes {
  __m128 a, b;
  static FloatLanes load(const float* p) {
    return {_mm_loadu_ps(p), _mm_loadu_ps(p + 4)};
  }
  static FloatLanes all(float x) { return {_mm_set1_ps(x), _mm_set1_ps(x)}; }
  void store(float* p) const {
    _mm_storeu_ps(p, a);
    _mm_storeu_ps(p + 4, b);
  }
  FloatLanes operator+(FloatLanes o) const {
    return {_mm_add_ps(a, o.a), _mm_add_ps(b, o.b)};
  }
  FloatLanes operator-(FloatLanes o) const {
    return {_mm_sub_ps(a, o.a), _mm_sub_ps(b, o.b)};
  }
  FloatLanes operator*(FloatLanes o) const {
    return {_mm_mul_ps(a, o.a), _mm_mul_ps(b, o.b)};
  }
  static FloatLanes max(FloatLanes x, FloatLanes y) {
    return {_mm_max_ps(y.a, x.a), _mm_max_ps(y.b, x.b)};
  }
  static __m128 squares(__m128 sum, __m128 weight) {
    return _mm_and_ps(_mm_cmpgt_ps(weight, _mm_setzero_ps()),
                      _mm_div_ps(_mm_mul_ps(sum, sum), weight));
  }
  static FloatLanes squares(FloatLanes sum, FloatLanes weight) {
    return {squares(sum.a, weight.a), squares(sum.b, weight.b)};
  }
  static __m128 chosen(__m128 yes, __m128 no, __m128 mask) {
    return _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no));
  }
  FloatLanes where_at_least(FloatLanes n, FloatLanes least,
                            FloatLanes otherwise) const {
    return {chosen(a, otherwise.a, _mm_cmpge_ps(n.a, least.a)),
            chosen(b, otherwise.b, _mm_cmpge_ps(n.b, least.b))};
  }
};

#else

struct FloatLanes : PlainLanes<FloatLanes, float> {
  static FloatLanes squares(const FloatLanes& sum, const FloatLanes& weight) {
    return each(sum, weight, [](float s, float w) { return w > 0 ? s * s / w : 0.0f; });
  }
  FloatLanes where_at_least(const FloatLanes& n, const FloatLanes& least,
                            const FloatLanes& otherwise) const {
    FloatLanes out;
    for (int i = 0; i < 8; ++i) out.v[i] = n.v[i] >= least.v[i] ? v[i] : otherwise.v[i];
    return out;
  }
};

#endif

inline float largest_lane(const FloatLanes& x) {
  float v[8];
  x.store(v);
  float top = v[0];
  for (int i = 1; i < 8; ++i) top = v[i] > top ? v[i] : top;
  return top;
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
