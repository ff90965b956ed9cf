// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include <cstddef>

#include "simd/double_lanes.hpp"
#include "simd/float_lanes.hpp"
#include "simd/stump_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

// Sixteen numbers: as many as registers have room for, in a walk.
template <class L>
struct Twice {
  L a, b;
  template <class Number>
  static Twice load(const Number* p) {
    return {L::load(p), L::load(p + 8)};
  }
  template <class Number>
  static Twice all(Number x) {
    return {L::all(x), L::all(x)};
  }
  template <class Number>
  void store(Number* p) const {
    a.store(p);
    b.store(p + 8);
  }
  Twice operator+(const Twice& o) const { return {a + o.a, b + o.b}; }
  Twice operator-(const Twice& o) const { return {a - o.a, b - o.b}; }
  Twice operator*(const Twice& o) const { return {a * o.a, b * o.b}; }
  static Twice max(const Twice& x, const Twice& y) {
    return {L::max(x.a, y.a), L::max(x.b, y.b)};
  }
};

// Lanes [first, first + 16).
template <class V, class Number>
void majority_of_weights(const u32* entries, const Run* runs, std::size_t n_runs,
                         const WeightLanes<Number>& lanes, std::size_t first) {
  const WeightedRow<Number>* const rows = lanes.rows;
  const Number *const masks = lanes.masks + first, *const total = lanes.total + first;
  Number* const rest = lanes.rest + first;
  const std::size_t n_classes = lanes.n_classes;
  V before = V::all(Number{0}), best = V::load(lanes.best + first);
  const u32* entry = entries;
  for (const Run* run = runs; run != runs + n_runs; ++run) {
    const std::size_t of_class = std::size_t{32} * run->label;
    V behind = V::load(rest + of_class);
    for (const u32* const end = entries + run->end; entry != end; ++entry) {
      const WeightedRow<Number>& row = rows[*entry & kRowMask];
      behind =
          behind - V::all(row.weight) * V::load(masks + std::size_t{32} * row.code);
    }
    behind.store(rest + of_class);
    before = V::max(before, V::load(total + of_class) - behind);
    if (!run->cut) continue;
    for (std::size_t k = 0; k < n_classes; ++k)
      behind = V::max(behind, V::load(rest + 32 * k));
    best = V::max(best, before + behind);
  }
  best.store(lanes.best + first);
}

template <class V, class Number, std::size_t kWidth>
void majority_of_weights(const u32* entries, const Run* runs, std::size_t n_runs,
                         const WeightLanes<Number>& lanes) {
  for (std::size_t first = 0; first < 32; first += kWidth)
    majority_of_weights<V>(entries, runs, n_runs, lanes, first);
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
