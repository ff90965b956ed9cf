// Are all splits of the training rows such as chance alone makes?
#pragma once

#include "plan/plan.hpp"
#include "search/search.hpp"

namespace dpdtree {

// A split of rows that tell nothing lowers their log-loss (of numbers: half their
// squared error over their variance) by half a chi-squared variable. Charges each split
// of the greedy tree what the best of all splits of all features exceeds with this
// probability, by Bonferroni's bound; true if no pruning but one leaf is worth that.
bool splits_are_noise(const Search& search, double level);

// The same of a tree that a search has found: splits that tell nothing alone may tell
// something together, which a greedy tree does not see.
bool splits_are_noise(const Search& search, const Plan& plan, double level);

}  // namespace dpdtree
