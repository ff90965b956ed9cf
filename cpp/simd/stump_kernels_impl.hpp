// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include <algorithm>

#include "simd/lanes.hpp"
#include "simd/stump_kernels.hpp"
#include "simd/weighted_stump_kernels_impl.hpp"

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

  void add(u32 entry, const u16* code, const u8* table) {
    sum = sum + ByteLanes::load(table + std::size_t{32} * code[entry & kRowMask]);
  }
  void keep(ByteLanes where) {
    high = ByteLanes::max(high, sum & where);
    low = ByteLanes::max(low, sum.inverse_within(where));
  }
};

// Four at a time: the loops are so short that their counting is a quarter of them, and
// their speed depends on where they happen to lie in memory.
template <class F>
inline void each_entry(const u32* entries, std::size_t n, const F& f) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    f(entries[i]);
    f(entries[i + 1]);
    f(entries[i + 2]);
    f(entries[i + 3]);
  }
  for (; i < n; ++i) f(entries[i]);
}

inline void walk_chunk(const u32* entries, std::size_t n, const u16* code,
                       const u8* table, Ties ties, ByteWalk& out) {
  const ByteLanes everywhere = ByteLanes::all(255);
  ByteWalk w = out;
  if (ties == Ties::none) {
    each_entry(entries, n, [&](u32 entry) {
      w.add(entry, code, table);
      w.keep(everywhere);
    });
  } else if (ties == Ties::some) {  // without a branch
    alignas(32) u8 where[64];
    std::fill(where, where + 32, u8{0});
    std::fill(where + 32, where + 64, u8{255});
    each_entry(entries, n, [&](u32 entry) {
      w.add(entry, code, table);
      w.keep(ByteLanes::load(where + std::size_t{32} * (entry >> 31)));
    });
  } else {
    each_entry(entries, n, [&](u32 entry) {
      w.add(entry, code, table);
      if ((entry & kGroupEnd) != 0) w.keep(everywhere);
    });
  }
  out = w;
}

inline void walk_lanes(const u32* entries, std::size_t n, const u16* code,
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
  static WideLanes of(const ByteLanes& x) { return {x.first_half(), x.second_half()}; }
  ByteLanes narrow() const { return ByteLanes::narrow(a, b); }
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

// Counts of classes before and behind a cut, as bytes: thirty-two of each, class by
// class. Within a chunk the largest ones change by so few rows that they stay within a
// byte of where they were at its start; classes that were further below cannot get
// there, so they may stop at 0.
struct ByteChunk {
  static constexpr std::int16_t kTop = 255;

  WideLanes before, behind;  // the largest ones at the start
  ByteLanes one_row;         // the byte of a class with one row behind the cut

  void begin(const ClassLanes& l) {
    before = WideLanes::all(0);
    behind = WideLanes::all(1);  // lanes without rows have bytes below the top
    for (std::size_t k = 0; k < l.n_classes; ++k) {
      const WideLanes rest = WideLanes::load(l.rest + 32 * k);
      before = WideLanes::max(before, WideLanes::load(l.total + 32 * k) - rest);
      behind = WideLanes::max(behind, rest);
    }
    const WideLanes to_top = WideLanes::all(kTop) - behind;
    for (std::size_t k = 0; k < l.n_classes; ++k) {
      left_bytes(l, k).store(l.bytes + 64 * k);
      (WideLanes::load(l.rest + 32 * k) + to_top).narrow().store(l.bytes + 64 * k + 32);
    }
    one_row = (to_top + WideLanes::all(1)).narrow();
  }

  // `high`: the largest sum of both bytes at a cut. Each is half their range or more,
  // so that it wraps to what they exceed it by.
  void end(const ClassLanes& l, bool any_cut, ByteLanes high) const {
    for (std::size_t k = 0; k < l.n_classes; ++k) {
      const WideLanes came = WideLanes::of(ByteLanes::load(l.bytes + 64 * k)) -
                             WideLanes::of(left_bytes(l, k));
      (WideLanes::load(l.rest + 32 * k) - came).store(l.rest + 32 * k);
    }
    if (!any_cut) return;
    const WideLanes both =
        before + behind + WideLanes::of(high) - WideLanes::all(kTop - kMiddle);
    WideLanes::max(WideLanes::load(l.best), both).store(l.best);
  }

 private:
  ByteLanes left_bytes(const ClassLanes& l, std::size_t k) const {
    const WideLanes left =
        WideLanes::load(l.total + 32 * k) - WideLanes::load(l.rest + 32 * k);
    return (left - before + WideLanes::all(kMiddle)).narrow();
  }
};

inline ByteLanes largest_class(const u8* bytes, std::size_t n_classes) {
  ByteLanes top = ByteLanes::load(bytes + 32);
  for (std::size_t k = 1; k < n_classes; ++k)
    top = ByteLanes::max(top, ByteLanes::load(bytes + 64 * k + 32));
  return top;
}

inline void majority_of_rows(const u32* entries, std::size_t n, const u16* label,
                             const ClassLanes& lanes) {
  const u16* const code = lanes.code;
  const u8* const masks = lanes.masks;
  u8* const bytes = lanes.bytes;
  const std::size_t n_classes = lanes.n_classes;
  for (std::size_t first = 0; first < n; first += kByteChunk) {
    ByteChunk chunk;
    chunk.begin(lanes);
    ByteLanes before = ByteLanes::all(kMiddle), high = ByteLanes::all(0);
    bool any_cut = false;
    const std::size_t last = std::min(n, first + kByteChunk);
    for (std::size_t i = first; i < last; ++i) {
      const u32 row = entries[i] & kRowMask;
      u8* const c = bytes + std::size_t{64} * label[row];
      const ByteLanes mask = ByteLanes::load(masks + std::size_t{32} * code[row]);
      const ByteLanes left = ByteLanes::load(c) + mask;
      left.store(c);
      (ByteLanes::load(c + 32) - mask).store(c + 32);
      before = ByteLanes::max(before, left);
      if ((entries[i] & kGroupEnd) == 0) continue;
      high = ByteLanes::max(high, before + largest_class(bytes, n_classes));
      any_cut = true;
    }
    chunk.end(lanes, any_cut, high);
  }
}

// The largest class behind the cut can only change where the run's class was it.
inline void majority_of_runs(const u32* entries, const Run* runs, std::size_t n_runs,
                             const ClassLanes& lanes) {
  const u16* const code = lanes.code;
  const u8* const masks = lanes.masks;
  u8* const bytes = lanes.bytes;
  const std::size_t n_classes = lanes.n_classes;
  const u32* entry = entries;
  const u32* const last = n_runs > 0 ? entries + runs[n_runs - 1].end : entries;
  while (entry != last) {
    ByteChunk chunk;
    chunk.begin(lanes);
    ByteLanes before = ByteLanes::all(kMiddle), high = ByteLanes::all(0);
    ByteLanes behind = largest_class(bytes, n_classes);
    bool any_cut = false, stale = false;
    const u32* const chunk_end =
        entry +
        std::min<std::size_t>(kByteChunk, static_cast<std::size_t>(last - entry));
    while (entry != chunk_end) {
      const u32* const run_end = entries + runs->end;
      u8* const c = bytes + std::size_t{64} * runs->label;
      ByteLanes left = ByteLanes::load(c), rest = ByteLanes::load(c + 32);
      stale = stale || any_equal(rest, ByteLanes::max(behind, chunk.one_row));
      for (const u32* end = std::min(run_end, chunk_end); entry != end; ++entry) {
        const ByteLanes mask =
            ByteLanes::load(masks + std::size_t{32} * code[*entry & kRowMask]);
        left = left + mask;
        rest = rest - mask;
      }
      left.store(c);
      rest.store(c + 32);
      before = ByteLanes::max(before, left);
      if (entry != run_end) break;  // goes on in the next chunk
      if (runs++->cut) {
        if (stale) behind = largest_class(bytes, n_classes);
        stale = false;
        high = ByteLanes::max(high, before + behind);
        any_cut = true;
      }
    }
    chunk.end(lanes, any_cut, high);
  }
}

inline StumpKernels make_stump_kernels() {
  return {walk_lanes, majority_of_rows, majority_of_runs,
          majority_of_weights<Twice<FloatLanes>, float, 16>,
          majority_of_weights<Twice<DoubleLanes>, double, 16>};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
