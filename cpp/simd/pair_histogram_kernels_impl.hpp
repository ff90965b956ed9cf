// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include "simd/lanes.hpp"
#include "simd/pair_histogram_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

// Not members of TableShape: nothing compiled here may be linked in place of another
// instruction set's code.
inline std::size_t width_of(const TableShape& shape) {
  return (shape.n_b + kLane - 1) / kLane * kLane;
}

inline std::size_t block_of(const TableShape& shape) {
  return shape.planes * shape.pitch;
}

inline void raise(Count& most, Count value) {
  if (value > most) most = value;
}

inline void accumulate_table(Count* table, const TableShape& shape) {
  const std::size_t width = width_of(shape), block = block_of(shape);
  for (std::size_t line = 0; line < shape.n_a * shape.planes; ++line) {
    Count* here = table + line * shape.pitch;
    const Count* above = line < shape.planes ? nullptr : here - block;
    Lanes carry = Lanes::zero();
    for (std::size_t b = 0; b < width; b += kLane) {
      const Lanes sums = Lanes::load(here + b).prefix_sums() + carry;
      carry = sums.last_everywhere();
      (above == nullptr ? sums : sums + Lanes::load(above + b)).store(here + b);
    }
  }
}

// Largest sums of two quadrants, for one edge of f and sixteen edges of g at a time.
// Bins beyond the last are empty: their columns repeat the last one and do no harm.
struct BestSums {
  Lanes left = Lanes::zero(), right = Lanes::zero();

  void take(Lanes q0, Lanes q1, Lanes q2, Lanes q3, Count* g_left, Count* g_right) {
    left = Lanes::max(left, q0 + q1);
    right = Lanes::max(right, q2 + q3);
    Lanes::max(Lanes::load(g_left), q0 + q2).store(g_left);
    Lanes::max(Lanes::load(g_right), q1 + q3).store(g_right);
  }
};

inline BestSums signed_edge(const Count* here, const Count* bottom,
                            const TableShape& shape, const EdgeMaxima& maxima) {
  const std::size_t last_b = shape.n_b - 1;
  const Lanes row = Lanes::all(here[last_b]);
  const Lanes rest = Lanes::all(static_cast<Count>(bottom[last_b] - here[last_b]));
  BestSums best;
  for (std::size_t b = 0; b < width_of(shape); b += kLane) {
    const Lanes ll = Lanes::load(here + b), hl = Lanes::load(bottom + b) - ll;
    best.take(absolute(ll), absolute(row - ll), absolute(hl), absolute(rest - hl),
              maxima.g_left + b, maxima.g_right + b);
  }
  return best;
}

inline BestSums counted_edge(const Count* here, const Count* bottom,
                             const TableShape& shape, const EdgeMaxima& maxima) {
  const std::size_t last_b = shape.n_b - 1;
  BestSums best;
  for (std::size_t b = 0; b < width_of(shape); b += kLane) {
    Lanes q0 = Lanes::zero(), q1 = q0, q2 = q0, q3 = q0;
    for (std::size_t k = 0; k < shape.planes; ++k) {
      const Count *h = here + k * shape.pitch, *z = bottom + k * shape.pitch;
      const Lanes ll = Lanes::load(h + b), hl = Lanes::load(z + b) - ll;
      q0 = Lanes::max(q0, ll);
      q1 = Lanes::max(q1, Lanes::all(h[last_b]) - ll);
      q2 = Lanes::max(q2, hl);
      q3 = Lanes::max(q3, Lanes::all(static_cast<Count>(z[last_b] - h[last_b])) - hl);
    }
    best.take(q0, q1, q2, q3, maxima.g_left + b, maxima.g_right + b);
  }
  return best;
}

inline void raise_table_edges(const Count* table, const TableShape& shape,
                              const EdgeMaxima& maxima) {
  const Count* bottom = table + (shape.n_a - 1) * block_of(shape);
  for (std::size_t a = 0; a + 1 < shape.n_a; ++a) {
    const Count* here = table + a * block_of(shape);
    const BestSums best = shape.planes == 1 ? signed_edge(here, bottom, shape, maxima)
                                            : counted_edge(here, bottom, shape, maxima);
    raise(maxima.f_left[a], largest_lane(best.left));
    raise(maxima.f_right[a], largest_lane(best.right));
  }
}

inline void subtract_tables(const Count* whole, const Count* part, Count* rest,
                            std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLane)
    (Lanes::load(whole + i) - Lanes::load(part + i)).store(rest + i);
}

inline PairHistogramKernels make_pair_histogram_kernels() {
  return {accumulate_table, raise_table_edges, subtract_tables};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
