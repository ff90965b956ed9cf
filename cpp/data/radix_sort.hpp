// Rows of a column in the order of their values.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace dpdtree {

// The rows of the non-missing values (NaN is left out) by ascending value, equal values
// by ascending row. Expects no infinities; -0.0 equals 0.0.
std::vector<u32> sorted_rows(const std::vector<double>& values);

}  // namespace dpdtree
