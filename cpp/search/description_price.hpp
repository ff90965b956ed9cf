// What it costs to describe a split, for objectives by description length.
#pragma once

#include "search/candidates/greedy.hpp"
#include "search/search.hpp"

namespace dpdtree {

// The weight of one row. Whole weights count how often a row is there; any others
// tell shares, and their mean is that of one row.
double row_weight(const Search& search);

// What one unit of ln p + ln T costs: half an error, or one nat. An error is that of
// one row. Of a regression loss a nat is worth what makes the noise about the greedy
// tree most likely: twice the variance of squared errors, twice the mean half deviance,
// the mean of absolute errors and quantiles. Looks at no objective: it belongs to it.
double price_per_nat(const Search& search, Criterion loss);

// True if it depends on a greedy tree.
bool asks_for_noise(Criterion loss);

// The same, of a greedy tree that is there already.
double price_per_nat(const Search& search, Criterion loss, const GreedyGrower& grower);

// What a split of a middling feature costs by its description: the look-ahead, which
// knows no features, charges it for each split.
double typical_price(const Search& search, const Cost& objective);

}  // namespace dpdtree
