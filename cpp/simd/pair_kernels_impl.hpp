// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "simd/pair_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

// Four words at a time: the sums are then loaded and stored a fourth as often.
inline void count_pairs(const u64* own, const u64* columns, std::size_t stride,
                        std::size_t n_words, i32* out, std::size_t n) {
  std::fill(out, out + n, 0);
  const auto common = [](u64 a, u64 b) { return std::popcount(a & b); };
  std::size_t w = 0;
  for (; w + 4 <= n_words; w += 4) {
    const u64 a0 = own[w * stride], a1 = own[(w + 1) * stride];
    const u64 a2 = own[(w + 2) * stride], a3 = own[(w + 3) * stride];
    if ((a0 | a1 | a2 | a3) == 0) continue;
    const u64* b = columns + w * stride;
    for (std::size_t j = 0; j < n; ++j)
      out[j] += common(a0, b[j]) + common(a1, b[stride + j]) +
                common(a2, b[2 * stride + j]) + common(a3, b[3 * stride + j]);
  }
  for (; w < n_words; ++w) {
    const u64 a = own[w * stride];
    if (a == 0) continue;
    const u64* b = columns + w * stride;
    for (std::size_t j = 0; j < n; ++j) out[j] += common(a, b[j]);
  }
}

template <bool kLimited>
StumpLosses<i32> rate_two_classes(const PairRow& r, i32* yes, i32* no) {
  const i32 *both0 = r.both[0], *both1 = r.both[1];
  const i32 *single0 = r.single[0], *single1 = r.single[1];
  const i32 own0 = r.own[0], own1 = r.own[1], least = r.least;
  const i32 other0 = r.total[0] - own0, other1 = r.total[1] - own1;
  const auto loss = [least](i32 a, i32 b) {
    const i32 fewer = std::min(a, b);
    if constexpr (!kLimited) return fewer;
    return a + b < least ? kImpossible : fewer;
  };
  i32 own_yes = kImpossible, own_no = kImpossible;
  for (std::size_t j = 0; j < r.n; ++j) {
    const i32 a0 = both0[j], a1 = both1[j], s0 = single0[j] - a0, s1 = single1[j] - a1;
    const i32 both = loss(a0, a1), first = loss(own0 - a0, own1 - a1);
    const i32 second = loss(s0, s1), neither = loss(other0 - s0, other1 - s1);
    own_yes = std::min(own_yes, both + first);
    own_no = std::min(own_no, second + neither);
    yes[j] = std::min(yes[j], both + second);
    no[j] = std::min(no[j], first + neither);
  }
  return {own_yes, own_no};
}

inline StumpLosses<i32> rate_two(const PairRow& row, i32* yes, i32* no) {
  return row.least > 1 ? rate_two_classes<true>(row, yes, no)
                       : rate_two_classes<false>(row, yes, no);
}

// What the four groups of rows that a pair makes weigh, or count: all classes together,
// and the heaviest one; for a block of pairs.
inline constexpr std::size_t kPairBlock = 32;

template <class T>
struct BlockOfPairs {
  T sum[4][kPairBlock] = {}, most[4][kPairBlock] = {};
  i32 rows[4][kPairBlock] = {};

  void add(const PairRow& r, std::size_t k, std::size_t first, std::size_t n) {
    const i32 *both = r.both[k] + first, *single = r.single[k] + first;
    const i32 own = r.own[k], other = r.total[k] - own;
    add_to(0, unit(r, k), n, [=](std::size_t j) { return both[j]; });
    add_to(1, unit(r, k), n, [=](std::size_t j) { return own - both[j]; });
    add_to(2, unit(r, k), n, [=](std::size_t j) { return single[j] - both[j]; });
    add_to(3, unit(r, k), n,
           [=](std::size_t j) { return other - single[j] + both[j]; });
  }
  T loss(std::size_t c, std::size_t j, i32 least, T none) const {
    return rows[c][j] < least ? none : sum[c][j] - most[c][j];
  }

 private:
  static T unit(const PairRow& r, std::size_t k) {
    if constexpr (std::is_same_v<T, i32>)
      return 1;
    else
      return r.unit[k];
  }
  template <class Count>
  void add_to(std::size_t c, T unit, std::size_t n, Count count) {
    for (std::size_t j = 0; j < n; ++j) {
      const T mass = unit * static_cast<T>(count(j));
      sum[c][j] += mass;
      most[c][j] = std::max(most[c][j], mass);
      rows[c][j] += count(j);
    }
  }
};

template <class T>
StumpLosses<T> rate_classes(const PairRow& r, T none, T* yes, T* no) {
  StumpLosses<T> own{none, none};
  for (std::size_t first = 0; first < r.n; first += kPairBlock) {
    const std::size_t n = std::min(kPairBlock, r.n - first);
    BlockOfPairs<T> block;
    for (std::size_t k = 0; k < r.n_classes; ++k) block.add(r, k, first, n);
    for (std::size_t j = 0; j < n; ++j) {
      const auto loss = [&](std::size_t c) { return block.loss(c, j, r.least, none); };
      own.yes = std::min(own.yes, loss(0) + loss(1));
      own.no = std::min(own.no, loss(2) + loss(3));
      yes[first + j] = std::min(yes[first + j], loss(0) + loss(2));
      no[first + j] = std::min(no[first + j], loss(1) + loss(3));
    }
  }
  return own;
}

inline StumpLosses<i32> rate_counts(const PairRow& row, i32* yes, i32* no) {
  return rate_classes<i32>(row, kImpossible, yes, no);
}

inline StumpLosses<double> rate_weights(const PairRow& row, double* yes, double* no) {
  return rate_classes(row, std::numeric_limits<double>::infinity(), yes, no);
}

inline PairKernels make_pair_kernels() {
  return {count_pairs, rate_two, rate_counts, rate_weights};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
