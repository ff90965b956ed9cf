// The inner loops over sixteen lanes; each instruction set compiles them once, in its
// own file, and hands them over as a table of functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace dpdtree {

// Rows of one ordering (entries as in RankedRows, at most kLaneChunk of them), looked
// up as code[entry]; `table` has one aligned row of sixteen numbers per code.
inline constexpr std::size_t kLaneChunk = 16384;

struct LaneKernels {
  // Two classes: adds ±1 per row, and tracks the largest and smallest running sum at
  // the ends of groups. `sum`, `high`, `low`: sixteen numbers in and out.
  void (*walk)(const u32* entries, std::size_t n, const u8* code,
               const std::int16_t* table, bool ties, std::int16_t* sum,
               std::int16_t* high, std::int16_t* low);

  // Several classes: one pass forwards keeps the largest class of every lane at the end
  // of each group in `forward` (sixteen numbers per group), one backwards adds the
  // largest class of the rows behind it: `best` = the largest sum. `counts`: sixteen
  // numbers per class, `whole`: the largest class of each lane at the end.
  void (*majority)(const u32* entries, std::size_t n, const u8* step, const u16* label,
                   const std::int16_t* masks, std::size_t n_classes,
                   std::int16_t* counts, std::int16_t* forward, std::int16_t* whole,
                   std::int16_t* best);
};

LaneKernels portable_kernels();
#if defined(__x86_64__)
LaneKernels sse2_kernels();
LaneKernels avx2_kernels();
#endif

}  // namespace dpdtree
