// Included once per instruction set; DPDTREE_LANES names the namespace of each.
#pragma once

#include <cstring>

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

inline Lanes add_row(u32 row, const u8* step, const u16* label,
                     const std::int16_t* masks, std::int16_t* counts) {
  std::int16_t* count = counts + 16 * label[row];
  const Lanes c = Lanes::load(count) + Lanes::load(masks + 16 * step[row]);
  c.store(count);
  return c;
}

inline void majority_lanes(const u32* entries, std::size_t n, const u8* step,
                           const u16* label, const std::int16_t* masks,
                           std::size_t n_classes, std::int16_t* counts,
                           std::int16_t* forward, std::int16_t* whole,
                           std::int16_t* best) {
  std::memset(counts, 0, 16 * n_classes * sizeof(std::int16_t));
  Lanes top = Lanes::zero();
  std::size_t group = 0;
  for (std::size_t i = 0; i < n; ++i) {
    top = Lanes::max(top, add_row(entries[i] & kRowMask, step, label, masks, counts));
    top.store(forward + 16 * group);
    group += (entries[i] & kGroupEnd) != 0;
  }
  top.store(whole);
  std::memset(counts, 0, 16 * n_classes * sizeof(std::int16_t));
  top = Lanes::zero();
  Lanes b = Lanes::load(best);
  for (std::size_t i = n; i-- > 0;) {
    if ((entries[i] & kGroupEnd) != 0)
      b = Lanes::max(b, Lanes::load(forward + 16 * --group) + top);
    top = Lanes::max(top, add_row(entries[i] & kRowMask, step, label, masks, counts));
  }
  b.store(best);
}

inline LaneKernels make_kernels() { return {walk_lanes, majority_lanes}; }

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
