// Included once per instruction set, by kernels_impl.hpp.
#pragma once

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

inline BinKernels make_bin_kernels() { return {class_edges}; }

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
