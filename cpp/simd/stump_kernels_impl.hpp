// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include <algorithm>

#include "simd/lanes.hpp"
#include "simd/stump_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

// A chunk's running sums stay within a byte around the middle.
inline constexpr std::size_t kByteChunk = 127;
inline constexpr u8 kMiddle = 128;

// The running sums of one chunk and their extremes at ends of groups: the largest sum,
// and the largest complement of a sum; 0 as long as no group has ended.
struct ByteWalk {
  ByteLanes sum = ByteLanes::all(kMiddle);
  ByteLanes high = ByteLanes::all(0), low = ByteLanes::all(0);

  void add(u32 entry, const u8* code, const u8* table) {
    sum = sum + ByteLanes::load(table + 32 * code[entry & kRowMask]);
  }
  void keep(ByteLanes where) {
    high = ByteLanes::max(high, sum & where);
    low = ByteLanes::max(low, sum.inverse_within(where));
  }
};

inline void walk_chunk(const u32* entries, std::size_t n, const u8* code,
                       const u8* table, Ties ties, ByteWalk& w) {
  const ByteLanes everywhere = ByteLanes::all(255);
  if (ties == Ties::none) {
    for (std::size_t i = 0; i < n; ++i) {
      w.add(entries[i], code, table);
      w.keep(everywhere);
    }
  } else if (ties == Ties::some) {  // without a branch
    alignas(32) u8 where[64];
    std::fill(where, where + 32, u8{0});
    std::fill(where + 32, where + 64, u8{255});
    for (std::size_t i = 0; i < n; ++i) {
      w.add(entries[i], code, table);
      w.keep(ByteLanes::load(where + 32 * (entries[i] >> 31)));
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      w.add(entries[i], code, table);
      if ((entries[i] & kGroupEnd) != 0) w.keep(everywhere);
    }
  }
}

inline void walk_lanes(const u32* entries, std::size_t n, const u8* code,
                       const u8* table, Ties ties, i32* high, i32* low) {
  i32 base[32] = {};
  for (std::size_t first = 0; first < n; first += kByteChunk) {
    ByteWalk w;
    walk_chunk(entries + first, std::min(kByteChunk, n - first), code, table, ties, w);
    alignas(32) u8 sum[32], top[32], bottom[32];
    w.sum.store(sum);
    w.high.store(top);
    w.low.store(bottom);
    if (top[0] != 0)
      for (int lane = 0; lane < 32; ++lane) {
        high[lane] = std::max(high[lane], base[lane] + top[lane] - kMiddle);
        low[lane] = std::min(low[lane], base[lane] + (255 - bottom[lane]) - kMiddle);
      }
    for (int lane = 0; lane < 32; ++lane) base[lane] += sum[lane] - kMiddle;
  }
}

// Thirty-two 16-bit lanes.
struct WideLanes {
  Lanes a, b;
  static WideLanes load(const std::int16_t* p) {
    return {Lanes::load(p), Lanes::load(p + 16)};
  }
  static WideLanes all(std::int16_t x) { return {Lanes::all(x), Lanes::all(x)}; }
  void store(std::int16_t* p) const {
    a.store(p);
    b.store(p + 16);
  }
  WideLanes operator+(const WideLanes& o) const { return {a + o.a, b + o.b}; }
  WideLanes operator-(const WideLanes& o) const { return {a - o.a, b - o.b}; }
  static WideLanes max(const WideLanes& x, const WideLanes& y) {
    return {Lanes::max(x.a, y.a), Lanes::max(x.b, y.b)};
  }
};

inline WideLanes largest_class(const std::int16_t* counts, std::size_t n_classes) {
  WideLanes top = WideLanes::load(counts);
  for (std::size_t k = 1; k < n_classes; ++k)
    top = WideLanes::max(top, WideLanes::load(counts + 32 * k));
  return top;
}

inline void majority_of_rows(const u32* entries, std::size_t n, const u16* label,
                             const ClassLanes& lanes) {
  WideLanes before = WideLanes::all(0), best = WideLanes::load(lanes.best);
  for (std::size_t i = 0; i < n; ++i) {
    const u32 row = entries[i] & kRowMask;
    const std::size_t k = label[row];
    const WideLanes c = WideLanes::load(lanes.rest + 32 * k) -
                        WideLanes::load(lanes.masks + 32 * lanes.step[row]);
    c.store(lanes.rest + 32 * k);
    before = WideLanes::max(before, WideLanes::load(lanes.total + 32 * k) - c);
    if ((entries[i] & kGroupEnd) == 0) continue;
    best = WideLanes::max(best, before + largest_class(lanes.rest, lanes.n_classes));
  }
  best.store(lanes.best);
}

// The largest class behind the cut can only change where the run's class was it.
inline void majority_of_runs(const u32* entries, const Run* runs, std::size_t n_runs,
                             const ClassLanes& lanes) {
  WideLanes before = WideLanes::all(0), best = WideLanes::load(lanes.best);
  WideLanes behind = largest_class(lanes.rest, lanes.n_classes);
  const WideLanes one = WideLanes::all(1);
  const u32* entry = entries;
  bool stale = false;
  for (std::size_t r = 0; r < n_runs; ++r) {
    std::int16_t* rest = lanes.rest + 32 * runs[r].label;
    WideLanes c = WideLanes::load(rest);
    const WideLanes top = WideLanes::max(behind, one);  // lanes without rows: no tie
    stale = stale || any_equal(c.a, top.a) || any_equal(c.b, top.b);
    for (const u32* end = entries + runs[r].end; entry != end; ++entry)
      c = c - WideLanes::load(lanes.masks + 32 * lanes.step[*entry & kRowMask]);
    c.store(rest);
    before =
        WideLanes::max(before, WideLanes::load(lanes.total + 32 * runs[r].label) - c);
    if (!runs[r].cut) continue;
    if (stale) behind = largest_class(lanes.rest, lanes.n_classes);
    stale = false;
    best = WideLanes::max(best, before + behind);
  }
  best.store(lanes.best);
}

inline StumpKernels make_stump_kernels() {
  return {walk_lanes, majority_of_rows, majority_of_runs};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
