// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include <bit>
#include <cstring>
#include <limits>

#include "simd/gradient_divide_impl.hpp"
#include "simd/gradient_kernels.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dpdtree::boosting {
inline namespace DPDTREE_LANES {

#if defined(__SSE2__) && !defined(DPDTREE_PORTABLE_LANES)
struct Addend {
  __m128i v;
  Addend(i64 gradient, i64 mass) : v(_mm_set_epi64x(mass, gradient)) {}
  void add_to(Bin* bin) const {
    auto* p = reinterpret_cast<__m128i*>(bin);
    _mm_store_si128(p, _mm_add_epi64(_mm_load_si128(p), v));
  }
};
#else
struct Addend {
  Bin v;
  Addend(i64 gradient, i64 mass) : v{gradient, mass} {}
  void add_to(Bin* bin) const { *bin += v; }
};
#endif

// The byte that lies `place` bytes behind the first one of a word in memory, times
// 2^Shift. As a shift and a mask: a product would be taken apart again.
template <u32 Shift>
std::size_t scaled_byte(u64 word, u32 place) {
  const bool little = std::endian::native == std::endian::little;
  const u32 at = 8 * (little ? place : 7 - place);
  const u64 moved = at >= Shift ? word >> (at - Shift) : word << (Shift - at);
  return moved & (u64{0xff} << Shift);
}

template <u32 Width, u32 Used>
void accumulate_lanes(const u8* codes, const Row* rows, const RowGradient* gradients,
                      std::size_t n, u32 count_bits, Bin* bins) {
  constexpr u32 kShift = std::countr_zero(Width * sizeof(Bin));
  auto* first = reinterpret_cast<std::byte*>(bins);
  const auto add_row = [&](std::size_t i) {
    // One load for all lanes, and addresses in bytes: fewer instructions per lane.
    u64 code = 0;
    std::memcpy(&code, codes + std::size_t{rows[i]} * Width, Width);
    const RowGradient q = gradients[i];
    const Addend addend(q.gradient, (i64{q.hessian} << count_bits) + 1);
    for (u32 lane = 0; lane < Used; ++lane)
      addend.add_to(reinterpret_cast<Bin*>(first + scaled_byte<kShift>(code, lane) +
                                           lane * sizeof(Bin)));
  };
  // Rows of small nodes are far apart: their codes are asked for in time.
  constexpr std::size_t kAhead = 24;
  std::size_t i = 0;
  for (; i + kAhead < n; ++i) {
    __builtin_prefetch(codes + std::size_t{rows[i + kAhead]} * Width);
    add_row(i);
  }
  for (; i < n; ++i) add_row(i);
}

inline void accumulate_block(u32 width, u32 used, const u8* codes, const Row* rows,
                             const RowGradient* gradients, std::size_t n,
                             u32 count_bits, Bin* bins) {
  using Loop =
      void (*)(const u8*, const Row*, const RowGradient*, std::size_t, u32, Bin*);
  static constexpr Loop loops[] = {accumulate_lanes<4, 1>, accumulate_lanes<4, 2>,
                                   accumulate_lanes<4, 3>, accumulate_lanes<4, 4>,
                                   accumulate_lanes<8, 5>, accumulate_lanes<8, 6>,
                                   accumulate_lanes<8, 7>, accumulate_lanes<8, 8>};
  (void)width;  // follows from `used`
  loops[used - 1](codes, rows, gradients, n, count_bits, bins);
}

#if defined(__AVX2__)

// Four lanes at once. A register holds (gradient, mass) of two lanes; unpacking leaves
// the lanes in the order 0, 2, 1, 3, which is undone at the end.
//
// A score is a fraction, and few are better than the best so far: they are told by a
// product, a little generously. Only those are divided and checked against the limits.
class FourLanes {
 public:
  FourLanes(const LaneScan& s, const double* best)
      : count_mask_(_mm256_set1_epi64x((i64{1} << s.units.count_bits) - 1)),
        count_bits_(_mm_cvtsi32_si128(static_cast<int>(s.units.count_bits))),
        gradient_unit_(_mm256_set1_pd(s.units.gradient)),
        hessian_unit_(_mm256_set1_pd(s.units.hessian)),
        g_all_(_mm256_set1_pd(s.gradient_total)),
        h_all_(_mm256_set1_pd(s.hessian_total)),
        n_all_(_mm256_set1_epi64x(s.count_total)),
        below_min_(_mm256_set1_epi64x(s.min_count - 1)),
        min_hessian_(_mm256_set1_pd(s.min_hessian)),
        l2_(_mm256_set1_pd(s.l2)) {
    alignas(32) double top[4], never[4];
    for (int i = 0; i < 4; ++i) {
      limits_[i] = s.n_cuts[kOrder[i]];
      top[i] = best[kOrder[i]];
      // Nothing beats a lane that has no cut.
      const double infinity = std::numeric_limits<double>::infinity();
      never[i] = limits_[i] > 0 ? -infinity : infinity;
    }
    limit_ = _mm256_load_si256(reinterpret_cast<const __m256i*>(limits_));
    high_ = _mm256_load_pd(top);
    never_ = _mm256_load_pd(never);
    raise_bar();
  }

  // What lies left of cut c, of lanes 0, 1 and 2, 3.
  void consider(u32 c, __m256i a, __m256i b) {
    const __m256i g = _mm256_unpacklo_epi64(a, b);
    const __m256i m = _mm256_unpackhi_epi64(a, b);
    const __m256d gl = _mm256_mul_pd(to_double(g), gradient_unit_);
    const __m256d hl =
        _mm256_mul_pd(to_double(_mm256_srl_epi64(m, count_bits_)), hessian_unit_);
    const __m256d gr = _mm256_sub_pd(g_all_, gl);
    const __m256d hr = _mm256_sub_pd(h_all_, hl);
    const __m256d dl = _mm256_add_pd(hl, l2_);
    const __m256d dr = _mm256_add_pd(hr, l2_);
    const __m256d product = _mm256_mul_pd(dl, dr);
    const __m256d sum = _mm256_add_pd(_mm256_mul_pd(_mm256_mul_pd(gl, gl), dr),
                                      _mm256_mul_pd(_mm256_mul_pd(gr, gr), dl));
    const __m256d hopeful =
        _mm256_cmp_pd(sum, _mm256_mul_pd(nearly_high_, product), _CMP_GT_OQ);
    if (_mm256_movemask_pd(hopeful) == 0) return;
    const __m256d weights =
        _mm256_and_pd(_mm256_cmp_pd(product, _mm256_setzero_pd(), _CMP_GT_OQ),
                      _mm256_and_pd(_mm256_cmp_pd(hl, min_hessian_, _CMP_GE_OQ),
                                    _mm256_cmp_pd(hr, min_hessian_, _CMP_GE_OQ)));
    keep_better(c, m, weights, _mm256_div_pd(sum, product));
  }

  void store(double* best, u32* cut) const {
    alignas(32) double top[4];
    alignas(32) i64 at[4];
    _mm256_store_pd(top, high_);
    _mm256_store_si256(reinterpret_cast<__m256i*>(at), where_);
    for (int i = 0; i < 4; ++i) {
      if (limits_[i] > 0) best[kOrder[i]] = top[i];
      cut[kOrder[i]] = static_cast<u32>(at[i]);
    }
  }

 private:
  static constexpr int kOrder[4] = {0, 2, 1, 3};
  static constexpr double kAlmostOne = 1 - 1e-14;

  // Adding 1.5·2^52 as an integer turns a small integer into the double that much
  // larger: AVX2 has no conversion of 64-bit integers.
  static __m256d to_double(__m256i whole) {
    const __m256d shift = _mm256_set1_pd(6755399441055744.0);
    return _mm256_sub_pd(
        _mm256_castsi256_pd(_mm256_add_epi64(whole, _mm256_castpd_si256(shift))),
        shift);
  }

  // Lanes need not find what another one beats.
  void raise_bar() {
    __m256d top = _mm256_max_pd(high_, _mm256_permute4x64_pd(high_, 0x4e));
    top = _mm256_max_pd(top, _mm256_permute_pd(top, 0x5));
    nearly_high_ =
        _mm256_max_pd(_mm256_mul_pd(top, _mm256_set1_pd(kAlmostOne)), never_);
  }

  void keep_better(u32 c, __m256i mass, __m256d weights, __m256d score) {
    const __m256i nl = _mm256_and_si256(mass, count_mask_);
    const __m256i nr = _mm256_sub_epi64(n_all_, nl);
    const __m256i here = _mm256_set1_epi64x(c);
    const __m256i counts =
        _mm256_and_si256(_mm256_cmpgt_epi64(limit_, here),
                         _mm256_and_si256(_mm256_cmpgt_epi64(nl, below_min_),
                                          _mm256_cmpgt_epi64(nr, below_min_)));
    const __m256d better =
        _mm256_and_pd(_mm256_cmp_pd(score, high_, _CMP_GT_OQ),
                      _mm256_and_pd(_mm256_castsi256_pd(counts), weights));
    high_ = _mm256_blendv_pd(high_, score, better);
    raise_bar();
    where_ = _mm256_blendv_epi8(where_, here, _mm256_castpd_si256(better));
  }

  __m256i count_mask_;
  __m128i count_bits_;
  __m256d gradient_unit_, hessian_unit_, g_all_, h_all_;
  __m256i n_all_, below_min_;
  __m256d min_hessian_, l2_;
  alignas(32) i64 limits_[4];
  __m256i limit_;
  __m256d high_, nearly_high_, never_;
  __m256i where_ = _mm256_setzero_si256();
};

inline void scan_lanes(const LaneScan& s, double* best, u32* cut) {
  FourLanes lanes(s, best);
  const auto* start = reinterpret_cast<const __m256i*>(s.start);
  __m256i a = _mm256_loadu_si256(start), b = _mm256_loadu_si256(start + 1);
  const Bin* p = s.bins;
  for (u32 c = 0; c < s.n_bins; ++c, p += s.stride) {
    const auto* q = reinterpret_cast<const __m256i*>(p);
    a = _mm256_add_epi64(a, _mm256_loadu_si256(q));
    b = _mm256_add_epi64(b, _mm256_loadu_si256(q + 1));
    lanes.consider(c, a, b);
  }
  lanes.store(best, cut);
}

#else

inline void scan_lane(const LaneScan& s, u32 lane, double& best, u32& cut) {
  Bin left = s.start[lane];
  for (u32 c = 0; c < static_cast<u32>(s.n_cuts[lane]); ++c) {
    left += s.bins[std::size_t{c} * s.stride + lane];
    const GradientSum sum = s.units.sum_of_packed(left);
    const i64 n_left = sum.count;
    const i64 n_right = s.count_total - n_left;
    if (n_left < s.min_count || n_right < s.min_count) continue;
    const double gl = s.units.gradient_of(sum), hl = s.units.hessian_of(sum);
    const double gr = s.gradient_total - gl, hr = s.hessian_total - hl;
    if (hl < s.min_hessian || hr < s.min_hessian) continue;
    if (!((hl + s.l2) * (hr + s.l2) > 0)) continue;
    const double score = pair_score(gl, hl + s.l2, gr, hr + s.l2);
    if (score > best) {
      best = score;
      cut = c;
    }
  }
}

inline void scan_lanes(const LaneScan& s, double* best, u32* cut) {
  for (u32 lane = 0; lane < 4; ++lane) {
    cut[lane] = 0;
    scan_lane(s, lane, best[lane], cut[lane]);
  }
}

#endif

// exp by splitting off a power of two and a Taylor polynomial on |r| <= ln2 / 2; plain
// enough for the compiler to vectorise. Good to about 1 ulp.
inline double exponential(double x) {
  x = x < -708 ? -708 : x;
  x = x > 709 ? 709 : x;
  const double shifted = x * 1.4426950408889634 + 6755399441055744.0;
  const double k = shifted - 6755399441055744.0;
  const double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;
  double p = 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  const i64 power = std::bit_cast<i64>(shifted) << 52;
  return std::bit_cast<double>(std::bit_cast<i64>(p) + power);
}

// x and out are the same or apart.
inline void exponentials_of(const double* x, std::size_t n, double* out) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < n; ++i) out[i] = exponential(x[i]);
}

// ln of a normal number: its power of two, and 2 artanh((m - 1) / (m + 1)) of the rest
// as a series, |(m - 1) / (m + 1)| <= 0.172. Good to about 1 ulp of the larger part.
inline double logarithm(double x) {
  // m lies between sqrt(1/2) and sqrt(2).
  constexpr i64 kRootHalf = 0x3fe6a09e667f3bcd;
  const i64 bits = std::bit_cast<i64>(x) - kRootHalf;
  // The power, beside a number whose digits begin there: no 64-bit conversion needed.
  const i64 power = (bits >> 52) + 0x4338000000000000;
  const double k = std::bit_cast<double>(power) - 6755399441055744.0;
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffff) + kRootHalf);
  const double s = (m - 1) / (m + 1);
  const double q = s * s;
  double p = 1.0 / 19;
  p = p * q + 1.0 / 17;
  p = p * q + 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  const double rest = 2 * s * (q * p) + 2 * s;
  return k * 0x1.62e42fefa0000p-1 + (k * 0x1.cf79abc9e3b3ap-40 + rest);
}

// x and out are the same or apart.
inline void logarithms_of(const double* x, std::size_t n, double* out) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < n; ++i) out[i] = logarithm(x[i]);
}

inline GradientKernels make_gradient_kernels() {
  return {accumulate_block, scan_lanes, divide_rows, exponentials_of, logarithms_of};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree::boosting
