// The inner loops over a pair's table of sums of numbers; see pair_histogram_kernels.
#pragma once

#include <cstddef>

namespace dpdtree {

inline constexpr std::size_t kFloatLane = 8;  // lines are padded to this

// n_a lines of n_b cells, `pitch` cells apart.
struct SumShape {
  std::size_t n_a = 0, n_b = 0;  // bins of both features
  std::size_t pitch = 0;
};

// The rows of all cells with smaller or equal bins, cell by cell.
struct SumTables {
  const float *weight, *sum;
  const float* count;  // where sides have a least number of rows; or null
  float least = 1;
};

// Where the largest gains of both sides of every edge are kept: of the first feature
// one each, of the second one as many as a line of the table has.
struct GainMaxima {
  float *f_left, *f_right, *g_left, *g_right;
};

struct PairSumKernels {
  // Cells, each a weight and a sum, to those of all cells with smaller or equal bins.
  void (*accumulate)(const float* cells, const SumShape& shape, float* weight,
                     float* sum);

  // Raises the gains of all edges by those of two leaves on either side of each.
  void (*raise_edges)(const SumTables& tables, const SumShape& shape,
                      const GainMaxima& maxima);
};

}  // namespace dpdtree
