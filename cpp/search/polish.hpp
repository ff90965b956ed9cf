// From a tree to a better one nearby: refinement, and exact bottoms.
#pragma once

#include <vector>

#include "plan/objective.hpp"
#include "plan/plan.hpp"
#include "search/search.hpp"

namespace dpdtree {

enum class Growth { free, none };  // none: no more leaves than the start has

// Every split chosen anew while the rest of the tree stays.
Solution refined(const Search& search, const Cost& objective, const Solution& start,
                 Growth growth);

// `pays` tells if it did. On a path its neighbours are much like it. True if nothing
// could be tried.
struct Polished {
  Solution solution;
  bool pays = true;
};

// The last levels solved exactly. That may free the splits above them to move, and the
// other way round: so many rounds. Two levels, or more if asked for.
Polished polished(const Search& search, const Cost& objective, Solution start,
                  int rounds, u32 last_levels = 0);

// Descent from the best few of the starts: they often end in different places.
Solution best_refined(const Search& search, const Cost& objective,
                      std::vector<Solution> starts, Growth growth);

}  // namespace dpdtree
