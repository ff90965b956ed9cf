// Pair histograms of numbers for squared errors: weights and sums of each cell.
#pragma once

#include "search/lookahead/pair_histogram.hpp"

namespace dpdtree {

// Raises the gains of sides with one further split; `out` has those of leaves.
void raise_by_sums(const PairHistogramProblem& problem, EdgeGains& out);

}  // namespace dpdtree
