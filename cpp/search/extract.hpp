// Plan → tree: sends the training rows through the plan once more and records every
// node's statistics. The reported loss and complexity come from here, so they are
// those of the tree itself.
#pragma once

#include "node/partition.hpp"
#include "plan/objective.hpp"
#include "plan/plan.hpp"
#include "search/search.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

struct Extracted {
  Tree tree;
  double loss = 0;          // weighted mean over the rows
  double complexity = 0;    // mean number of splits of a row, the number of leaves, or
                            // the prices of the splits over the whole weight
  double feature_cost = 0;  // mean price of the features asked on a row's path
  double objective = 0;
  double scaled_objective = 0;  // in the solver's own unit, which never overflows
};

Extracted extract(const Problem& problem, const Cost& cost, const Plan& plan,
                  std::span<const Row> rows, ConstraintsPtr constraints = nullptr);

// Of all rows of a search, wherever they are.
Extracted extract(const Search& search, const Cost& cost, const Plan& plan);

}  // namespace dpdtree
