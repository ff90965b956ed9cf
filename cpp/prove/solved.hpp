// What the exact search knows about a subset of rows once it has solved it, in terms
// that other subsets can use: cuts are ranks, not positions in a list of rows.
#pragma once

#include <memory>

#include "base/types.hpp"
#include "prove/known_cuts.hpp"

namespace dpdtree {

// The value of a subset under the limits, and a bound that ignores them (only that one
// never falls when rows are added).
struct ExactValue {
  double value = 0;
  double bound = 0;
};

// The best split of a subset (ranks up to `rank` go left) and those of its children.
// Null children have one split at most, which a scan finds.
struct ExactChoice {
  bool split = false;
  u32 ordering = 0;
  u32 rank = 0;
  u64 left_leaves = 0, right_leaves = 0;  // how many leaves the children may have
  std::shared_ptr<const ExactChoice> left, right;
  bool scan = false;  // one split at most here as well
};

struct Solved {
  ExactValue value;
  std::shared_ptr<const ExactChoice> choice;
  double any_depth = 0;  // no tree of however many levels is better
  // What is known of cuts of a subset of the rows, or all of them, and of a set around
  // them. Null: nothing.
  std::shared_ptr<const KnownCuts> inner_cuts = {}, outer_cuts = {};
};

// Subsets next to one that is to be solved: one inside it, one around it.
struct Neighbours {
  const Solved* inner = nullptr;
  const Solved* outer = nullptr;
  double inner_lacks = 0;    // the weight of the rows that `inner` lacks
  double outer_exceeds = 0;  // and of those that `outer` has in addition
};

}  // namespace dpdtree
