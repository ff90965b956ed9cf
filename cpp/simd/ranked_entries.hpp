// How the kernels of the exact search read rows in the order of a feature.
#pragma once

#include "base/types.hpp"

namespace dpdtree {

inline constexpr u32 kGroupEnd = 1u << 31;  // on the last row of a group of equal rank
inline constexpr u32 kRowMask = kGroupEnd - 1;

// Rows of one class that follow one another, up to but not including position `end`.
// Between groups that hold this class alone no cut is worth more than the better of
// those at both ends (what a stump gets right is convex in between), so such groups
// are one run; `cut`: a stump may cut behind the run.
struct Run {
  u32 end;
  u16 label;
  bool cut;
};

}  // namespace dpdtree
