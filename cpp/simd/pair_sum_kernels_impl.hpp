// Included once per instruction set, by kernels_impl.hpp.
#pragma once

#include <algorithm>
#include <limits>

#include "simd/float_lanes.hpp"
#include "simd/pair_sum_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

// Sums along some lines at once: each addition has to wait for the one before it.
template <std::size_t n_lines>
void sum_lines(const float* cells, const SumShape& shape, float* weight, float* sum) {
  float w[n_lines] = {}, s[n_lines] = {};
  for (std::size_t b = 0; b < shape.n_b; ++b)
    for (std::size_t k = 0; k < n_lines; ++k) {
      const std::size_t at = k * shape.pitch + b;
      weight[at] = w[k] += cells[2 * at];
      sum[at] = s[k] += cells[2 * at + 1];
    }
}

inline void add_line_above(float* here, const SumShape& shape) {
  const float* above = here - shape.pitch;
  for (std::size_t b = 0; b < shape.n_b; b += kFloatLane)
    (FloatLanes::load(here + b) + FloatLanes::load(above + b)).store(here + b);
}

inline void accumulate_sums(const float* cells, const SumShape& shape, float* weight,
                            float* sum) {
  constexpr std::size_t kLines = 4;
  std::size_t a = 0;
  const auto take = [&]<std::size_t n_lines>() {
    const std::size_t at = a * shape.pitch;
    sum_lines<n_lines>(cells + 2 * at, shape, weight + at, sum + at);
    a += n_lines;
  };
  while (a + kLines <= shape.n_a) take.template operator()<kLines>();
  while (a < shape.n_a) take.template operator()<1>();
  for (std::size_t line = 1; line < shape.n_a; ++line) {
    add_line_above(weight + line * shape.pitch, shape);
    add_line_above(sum + line * shape.pitch, shape);
  }
}

// A statistic of the four quadrants around the edges of a line: low-low, low-high,
// high-low, high-high.
struct Quarters {
  FloatLanes q[4];
};

// The table from this line and from the last line on, and its last cell of both.
struct LinePair {
  LinePair(const float* table, const SumShape& shape, std::size_t a)
      : here(table + a * shape.pitch),
        bottom(table + (shape.n_a - 1) * shape.pitch),
        row(FloatLanes::all(here[shape.n_b - 1])),
        rest(FloatLanes::all(bottom[shape.n_b - 1] - here[shape.n_b - 1])) {}
  Quarters at(std::size_t b) const {
    const FloatLanes ll = FloatLanes::load(here + b);
    const FloatLanes below = FloatLanes::load(bottom + b);
    return {{ll, row - ll, below - ll, rest - below + ll}};
  }

  const float *here, *bottom;
  FloatLanes row, rest;
};

template <bool counted>
void raise_line(const SumTables& t, const SumShape& shape, std::size_t a,
                const GainMaxima& maxima) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  const LinePair weight(t.weight, shape, a), sum(t.sum, shape, a);
  const LinePair count(counted ? t.count : t.weight, shape, a);
  const FloatLanes none = FloatLanes::all(kNone), least = FloatLanes::all(t.least);
  FloatLanes left = none, right = none;
  for (std::size_t b = 0; b + 1 < shape.n_b; b += kFloatLane) {
    const Quarters w = weight.at(b), s = sum.at(b);
    FloatLanes gain[4];
    for (int i = 0; i < 4; ++i) gain[i] = FloatLanes::squares(s.q[i], w.q[i]);
    if constexpr (counted) {
      const Quarters n = count.at(b);
      for (int i = 0; i < 4; ++i) gain[i] = gain[i].where_at_least(n.q[i], least, none);
    }
    FloatLanes both_left = gain[0] + gain[1], both_right = gain[2] + gain[3];
    if (b + kFloatLane >= shape.n_b) {  // no edges are behind the last one
      const float lanes[] = {0, 1, 2, 3, 4, 5, 6, 7};
      const FloatLanes beyond = FloatLanes::load(lanes);
      const FloatLanes last = FloatLanes::all(static_cast<float>(shape.n_b - 2 - b));
      both_left = both_left.where_at_least(last, beyond, none);
      both_right = both_right.where_at_least(last, beyond, none);
    }
    left = FloatLanes::max(left, both_left);
    right = FloatLanes::max(right, both_right);
    FloatLanes::max(FloatLanes::load(maxima.g_left + b), gain[0] + gain[2])
        .store(maxima.g_left + b);
    FloatLanes::max(FloatLanes::load(maxima.g_right + b), gain[1] + gain[3])
        .store(maxima.g_right + b);
  }
  maxima.f_left[a] = std::max(maxima.f_left[a], largest_lane(left));
  maxima.f_right[a] = std::max(maxima.f_right[a], largest_lane(right));
}

inline void raise_sum_edges(const SumTables& tables, const SumShape& shape,
                            const GainMaxima& maxima) {
  for (std::size_t a = 0; a + 1 < shape.n_a; ++a)
    tables.count != nullptr ? raise_line<true>(tables, shape, a, maxima)
                            : raise_line<false>(tables, shape, a, maxima);
}

inline PairSumKernels make_pair_sum_kernels() {
  return {accumulate_sums, raise_sum_edges};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
