// Included once per instruction set, by kernels_impl.hpp.
#pragma once

#include <array>

#include "simd/gradient_kernels.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace dpdtree::boosting {
inline namespace DPDTREE_LANES {

// Both sides are written without a branch: whichever is wrong is overwritten next.
inline std::size_t divide_one_by_one(const RowDivision& d, std::size_t first,
                                     std::size_t n_left) {
  std::size_t n_right = first - n_left;
  for (std::size_t i = first; i < d.n; ++i) {
    const Row row = d.rows[i];
    const RowGradient gradient = d.gradients[i];
    const u8 is_left = d.left[d.codes[std::size_t{row} * d.stride]];
    d.left_rows[n_left] = row;
    d.left_gradients[n_left] = gradient;
    *(d.right_rows - n_right) = row;
    *(d.right_gradients - n_right) = gradient;
    n_left += is_left;
    n_right += is_left ^ 1u;
  }
  return n_left;
}

#if defined(__AVX2__)

// For each set of left ones among eight: the left ones in their order, then the others
// backwards, as the right side is written from its end.
struct EightDivided {
  std::array<std::array<u8, 8>, 256> order{};
  // The same for the halves of eight gradients of 64 bits.
  std::array<std::array<u8, 16>, 256> halves{};

  constexpr EightDivided() {
    for (std::size_t mask = 0; mask < 256; ++mask) {
      std::size_t front = 0;
      std::size_t back = 8;
      for (u8 i = 0; i < 8; ++i)
        order[mask][(mask >> i & 1) != 0 ? front++ : --back] = i;
      for (std::size_t k = 0; k < 16; ++k)
        halves[mask][k] = static_cast<u8>(2 * order[mask][k / 2] + k % 2);
    }
  }
};
inline constexpr EightDivided kEightDivided;

inline __m256i eight_bytes(const u8* p) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}

// Four of the eight gradients in a and b.
inline __m256i four_gradients(__m256i a, __m256i b, const u8* halves) {
  const __m256i order = eight_bytes(halves);
  const __m256 of_b = _mm256_castsi256_ps(_mm256_slli_epi32(order, 28));  // 8 and more
  return _mm256_castps_si256(_mm256_blendv_ps(
      _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(a, order)),
      _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(b, order)), of_b));
}

inline void store_at(void* p, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(p), value);
}

// Which of eight rows go left, as bits. The place of a row in its column is an address
// that the processor computes by itself: a stride is 4 or 8.
template <std::size_t Stride>
u32 left_of_eight(const Row* rows, const u8* codes, const u8* left) {
  u32 mask = 0;
  for (u32 k = 0; k < 8; ++k)
    mask |= u32{left[codes[std::size_t{rows[k]} * Stride]]} << k;
  return mask;
}

// Eight rows at a time are ordered by their side and written to both: whatever is wrong
// is overwritten by the next. Towards the end, it would not be.
template <std::size_t Stride>
std::size_t divide_by_eight(const RowDivision d) {
  constexpr std::size_t kAhead = 32;
  std::size_t n_left = 0;
  std::size_t i = 0;
  for (; i + 16 <= d.n; i += 8) {
    const Row* rows = d.rows + i;
    if (d.far && i + kAhead + 8 <= d.n)
      for (u32 k = 0; k < 8; ++k)
        __builtin_prefetch(d.codes + std::size_t{rows[k + kAhead]} * Stride);
    const u32 mask = left_of_eight<Stride>(rows, d.codes, d.left);
    const auto* gradients = reinterpret_cast<const __m256i*>(d.gradients + i);
    const __m256i a = _mm256_loadu_si256(gradients);
    const __m256i b = _mm256_loadu_si256(gradients + 1);
    const u8* halves = kEightDivided.halves[mask].data();
    const __m256i low = four_gradients(a, b, halves);
    const __m256i high = four_gradients(a, b, halves + 8);
    const __m256i ordered = _mm256_permutevar8x32_epi32(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows)),
        eight_bytes(kEightDivided.order[mask].data()));
    const std::size_t n_right = i - n_left;
    store_at(d.left_rows + n_left, ordered);
    store_at(d.right_rows - n_right - 7, ordered);
    store_at(d.left_gradients + n_left, low);
    store_at(d.left_gradients + n_left + 4, high);
    store_at(d.right_gradients - n_right - 7, low);
    store_at(d.right_gradients - n_right - 3, high);
    n_left += static_cast<std::size_t>(__builtin_popcount(mask));
  }
  return divide_one_by_one(d, i, n_left);
}

inline std::size_t divide_rows(const RowDivision& d) {
  return d.stride == 8 ? divide_by_eight<8>(d) : divide_by_eight<4>(d);
}

#else

inline std::size_t divide_rows(const RowDivision& d) {
  return divide_one_by_one(d, 0, 0);
}

#endif

}  // namespace DPDTREE_LANES
}  // namespace dpdtree::boosting
