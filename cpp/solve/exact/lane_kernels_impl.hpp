// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include "base/lanes.hpp"
#include "solve/exact/lane_kernels.hpp"
#include "solve/exact/ranked_rows.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

inline void walk_lanes(const u32* entries, std::size_t n, const u8* code,
                       const std::int16_t* table, bool ties, std::int16_t* sum,
                       std::int16_t* high, std::int16_t* low) {
  Lanes s = Lanes::load(sum), h = Lanes::load(high), l = Lanes::load(low);
  if (!ties) {
    for (std::size_t i = 0; i < n; ++i) {
      s = s + Lanes::load(table + 16 * code[entries[i] & kRowMask]);
      h = Lanes::max(h, s);
      l = Lanes::min(l, s);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const u32 entry = entries[i];
      s = s + Lanes::load(table + 16 * code[entry & kRowMask]);
      if ((entry & kGroupEnd) == 0) continue;
      h = Lanes::max(h, s);
      l = Lanes::min(l, s);
    }
  }
  s.store(sum);
  h.store(high);
  l.store(low);
}

inline void majority_lanes(const u32* entries, std::size_t n, bool backwards,
                           const u8* step, const u16* label, const std::int16_t* masks,
                           std::int16_t* counts, std::int16_t* running,
                           std::int16_t* largest) {
  Lanes top = Lanes::load(running);
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t i = backwards ? n - 1 - j : j;
    const u32 row = entries[i] & kRowMask;
    std::int16_t* count = counts + 16 * label[row];
    const Lanes c = Lanes::load(count) + Lanes::load(masks + 16 * step[row]);
    c.store(count);
    top = Lanes::max(top, c);
    top.store(largest + 16 * i);
  }
  top.store(running);
}

inline void combine_lanes(const u32* entries, std::size_t n,
                          const std::int16_t* forward, const std::int16_t* backward,
                          std::int16_t* best) {
  Lanes b = Lanes::load(best);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if ((entries[i] & kGroupEnd) == 0) continue;
    b = Lanes::max(
        b, Lanes::load(forward + 16 * i) + Lanes::load(backward + 16 * (i + 1)));
  }
  b.store(best);
}

inline LaneKernels make_kernels(const char* name) {
  return {name, walk_lanes, majority_lanes, combine_lanes};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
