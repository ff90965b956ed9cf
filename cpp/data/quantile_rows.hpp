// Which rows quantiles are taken from: the same ones however the rows are stored.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace dpdtree {

inline constexpr std::size_t kRowsForQuantiles = 200'000;

// All n rows, or 200 000 of them, evenly drawn by their numbers; of these the ones of
// positive weight (weights may be null). In ascending order.
std::vector<Row> rows_for_quantiles(std::size_t n, const double* weights);

}  // namespace dpdtree
