// The inner loops over a pair's table of counts; each instruction set compiles them
// once, in its own file. A table has n_a · planes lines, `pitch` numbers apart: those
// of the first bin of the first feature, one per plane, then those of the next bin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace dpdtree {

inline constexpr std::size_t kLane = 16;  // lines are aligned and padded to this

using Count = std::int16_t;

struct TableShape {
  std::size_t n_a = 0, n_b = 0;  // bins of both features
  std::size_t planes = 1;
  std::size_t pitch = 0;
};

// Where the best sums of both sides of every edge are kept, of either feature.
struct EdgeMaxima {
  Count *f_left, *f_right, *g_left, *g_right;
};

struct PairHistogramKernels {
  // Counts of cells → counts of all cells with smaller or equal bins.
  void (*accumulate)(Count* table, const TableShape& shape);

  // Raises the best sums of all edges: with one plane of ±1 the absolute sums of two
  // quadrants, else their largest planes.
  void (*raise_edges)(const Count* table, const TableShape& shape,
                      const EdgeMaxima& maxima);

  void (*subtract)(const Count* whole, const Count* part, Count* rest, std::size_t n);
};

}  // namespace dpdtree
