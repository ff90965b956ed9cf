// What a search has learnt of the cuts of a subset, for subsets next to it. The best
// loss of a side never falls when rows are added, and a row more costs at most
// `row_cost`: so what bounds a side of a cut of one subset bounds, less what its rows
// exceed, that side of the same cut of another.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace dpdtree {

struct KnownCut {
  u32 rank = 0;                        // ranks up to this one are on the left,
  u32 cut = 0;                         // so many rows,
  double weight = 0;                   // of that weight
  double left = 0, right = 0;          // bounds of the sides
  double any_left = 0, any_right = 0;  // and of their trees of any depth
};

struct KnownCuts {
  u32 levels = 0;  // of trees that begin with such a cut; leaves are not limited
  u32 n = 0;
  double weight = 0;                           // of all rows
  std::vector<std::vector<KnownCut>> of = {};  // per ordering, ascending
};

}  // namespace dpdtree
