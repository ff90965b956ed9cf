// Categories: from the caller's numbers to codes.
#pragma once

#include <span>

#include "data/category_set.hpp"
#include "data/column.hpp"

namespace dpdtree {

// Values 0, 1, … (all below the number of rows) are categories, NaN is missing; others
// raise InputError. Rows of weight 0 come last in the order of appearance.
Column encode_categories(std::span<const double> values, const double* weights);

}  // namespace dpdtree
