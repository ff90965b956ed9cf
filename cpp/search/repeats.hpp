// Rows that repeat, as many do where weights were turned into rows.
#pragma once

#include <span>
#include <vector>

#include "data/column.hpp"
#include "loss/targets.hpp"

namespace dpdtree {

// Sets repeat_unit and mean_repeats: what the weights of all runs of equal neighbours
// are multiples of, and the mean of these multiples. So a weight, as many equal rows
// and both at once give the same samples.
void count_repeats(const std::vector<Column>& columns, std::span<const Row> rows,
                   Targets& targets);

}  // namespace dpdtree
