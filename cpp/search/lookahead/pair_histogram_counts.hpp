// Pair histograms of unweighted classes for the 0-1 loss, in 16-bit counts.
#pragma once

#include "search/lookahead/pair_histogram.hpp"

namespace dpdtree {

// True if counts are all that is needed, and few enough.
bool countable(const PairHistogramProblem& problem);

EdgeGains pair_counts_of(const PairHistogramProblem& problem);

std::unique_ptr<DividedGains> make_divided_counts(const PairHistogramProblem& problem);

}  // namespace dpdtree
