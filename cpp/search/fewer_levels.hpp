// When a search with fewer levels could find a better tree. No search by candidates
// is sure to profit from a level more; keeping the better one of both makes it so.
#pragma once

#include "plan/objective.hpp"
#include "plan/plan.hpp"
#include "search/search.hpp"

namespace dpdtree {

// Is there time for a search with a level less, and is it the whole tree's?
bool has_shallower(const Search& search);

// The same search; those with fewer levels are told what it has chosen.
Search sharing_choices(const Search& search);

// Does the tree's last level gain so much that no search without it is worth its time?
// With few rows nothing is too much, and the answer is no unless it is proven. The
// objective must have no alpha.
bool last_level_gains(const Search& search, const Cost& objective,
                      const Solution& found);

}  // namespace dpdtree
