// Included once per instruction set, by kernels_impl.hpp.
#pragma once

#include <cmath>
#include <cstddef>

#include "base/types.hpp"
#include "simd/bin_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

// Rows of one class on the left of each edge. One after the other: what follows is not.
inline void count_left(const u32* counts, std::size_t stride, std::size_t joined,
                       std::size_t n_bins, i32* __restrict left) {
  u32 n = 0;
  if (joined == 1) {
    for (std::size_t i = 0; i < n_bins; ++i) {
      n += counts[i * stride];
      left[i] = static_cast<i32>(n);
    }
    return;
  }
  for (std::size_t i = 0; i < n_bins; ++i) {
    for (std::size_t j = 0; j < joined; ++j, counts += stride) n += *counts;
    left[i] = static_cast<i32>(n);
  }
}

inline void add_class(const i32* __restrict count, std::size_t n_bins, double total,
                      i32* __restrict n, double* __restrict left,
                      double* __restrict right) {
  for (std::size_t i = 0; i < n_bins; ++i) {
    const auto l = static_cast<double>(count[i]);
    const double r = total - l;
    n[i] += count[i];
    left[i] += l * l;
    right[i] += r * r;
  }
}

inline void raise_majorities(const i32* __restrict count, std::size_t n_bins, i32 total,
                             i32* __restrict most_left, i32* __restrict most_right) {
  for (std::size_t i = 0; i < n_bins; ++i) {
    const i32 l = count[i], r = total - l;
    most_left[i] = most_left[i] > l ? most_left[i] : l;
    most_right[i] = most_right[i] > r ? most_right[i] : r;
  }
}

inline void class_edges(const u32* counts, std::size_t n_classes, std::size_t joined,
                        std::size_t n_bins, const double* total,
                        const ClassEdges& out) {
  for (std::size_t k = 0; k < n_classes; ++k) {
    if (total[k] == 0) continue;
    count_left(counts + k, n_classes, joined, n_bins, out.scratch);
    add_class(out.scratch, n_bins, total[k], out.n, out.left, out.right);
    if (out.most_left != nullptr)
      raise_majorities(out.scratch, n_bins, static_cast<i32>(total[k]), out.most_left,
                       out.most_right);
  }
}

// A side that ends within a bin has some weight w' of it. By Cauchy and Schwarz its sum
// is off the line between both edges by √(w'·(w-w')·v/w) at most, w and v being the
// weight and the squared deviations of the bin: so sides lie in an ellipse. A score is
// convex in sum and weight, therefore largest at a corner of an octagon around it.
inline void number_excess(const NumberBins& bins, const NumberFloor& floor,
                          double* __restrict excess) {
  constexpr double kShort = 0.41421356237309515;  // tan(π/8), rounded up
  constexpr double kInner = (1 - kShort) / 2;
  constexpr double kOfSquares = 1e-14;  // what a difference may lose by rounding
  const double all = floor.all_weight, mean = floor.mean, score = floor.score;
  const double rounding = floor.rounding;
  const auto beyond = [=](double weight, double centered, double spread) {
    const double sum = all * (std::fabs(centered) + spread + rounding);
    return sum * sum - score * (weight * (all - weight));
  };
  const double *s = bins.sum, *w = bins.weight, *q = bins.squares;
  for (std::size_t i = 0; i < bins.n; ++i) {
    const double from = w[i], to = w[i + 1], in = to - from, sum = s[i + 1] - s[i];
    const double first = s[i] - mean * from, last = s[i + 1] - mean * to;
    const double square = q[i] * in * (1 + kOfSquares) - sum * sum;
    const double high = std::sqrt(square > 0 ? square : 0) / 2, low = kShort * high;
    const double step = kInner * (last - first), part = kInner * in;
    const double a = beyond(from, first, low), b = beyond(to, last, low);
    const double c = beyond(from + part, first + step, high);
    const double d = beyond(to - part, last - step, high);
    const double ab = a > b ? a : b, cd = c > d ? c : d;
    excess[i] = ab > cd ? ab : cd;
  }
}

inline BinKernels make_bin_kernels() { return {class_edges, number_excess}; }

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
