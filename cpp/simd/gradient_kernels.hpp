// The inner loops over gradients. Results are the same to the last bit with every
// instruction set.
#pragma once

#include <cstddef>

#include "simd/gradient_bin.hpp"

namespace dpdtree::boosting {

// Four neighbouring lanes of a block's histogram, whose cells are one bin each, and
// what a valid split needs.
struct LaneScan {
  const Bin* bins = nullptr;  // of the first lane and bin; next bin `stride` further
  u32 stride = 0;
  u32 n_bins = 0;
  Bin start[4];     // what goes left before the first bin
  i64 n_cuts[4]{};  // cuts 0 … n_cuts-1 are allowed
  Units units;
  double gradient_total = 0;
  double hessian_total = 0;
  i64 count_total = 0;
  double l2 = 0;
  double min_hessian = 0;
  i64 min_count = 1;
};

// Rows of a node to be divided: left ones go to left_rows and following, the others to
// right_rows and backwards. There is room for n rows between the two, or the two are
// apart with room for n rows each.
struct RowDivision {
  const Row* rows = nullptr;
  const RowGradient* gradients = nullptr;
  std::size_t n = 0;
  const u8* codes = nullptr;  // of row r at codes[r * stride]
  std::size_t stride = 0;
  bool far = false;          // the codes of all rows do not fit the caches
  const u8* left = nullptr;  // by code: 1 if it goes left, else 0
  Row* left_rows = nullptr;
  RowGradient* left_gradients = nullptr;
  Row* right_rows = nullptr;
  RowGradient* right_gradients = nullptr;
};

struct GradientKernels {
  // bins[code][lane] += gradient of the row, for all lanes of a block of this width;
  // cells are one bin each.
  void (*accumulate)(u32 width, u32 used, const u8* codes, const Row* rows,
                     const RowGradient* gradients, std::size_t n, u32 count_bits,
                     Bin* bins);

  // Raises best[lane] to the largest score of a cut above it, and says which.
  void (*scan)(const LaneScan& lanes, double* best, u32* cut);

  // Returns how many rows went left.
  std::size_t (*divide)(const RowDivision& division);

  void (*exponentials)(const double* x, std::size_t n, double* out);
  // Of normal numbers. Like exponentials, the same on every machine.
  void (*logarithms)(const double* x, std::size_t n, double* out);
};

// What two children gain together, but for a factor and the parent's share; lambda is
// contained in the hessians. One division instead of two: it is the slowest step.
inline double pair_score(double gl, double hl, double gr, double hr) {
  return (gl * gl * hr + gr * gr * hl) / (hl * hr);
}

}  // namespace dpdtree::boosting
