// Splits that a tree has to make, at the rows where they are made.
#pragma once

#include <functional>

#include "plan/plan.hpp"
#include "search/search.hpp"

namespace dpdtree {

inline const ForcedSplit& forced_split(const Search& s, i32 index) {
  return s.params.forced_splits[static_cast<std::size_t>(index)];
}

// Calls f with each way to make the split at the root of the search: both sides for
// missing values, if none is given and there are some, and every middle of a monotone
// feature. InputError: the split breaks a limit or a constraint.
using Way = std::function<void(const Split& split, const Children& children)>;
void each_way(const Search& search, i32 index, const Way& f);

// The given splits, each made in the way that the criterion likes best.
Plan settled_plan(const Search& search);

}  // namespace dpdtree
