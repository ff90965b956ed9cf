// How large a sum of squares of normal variables gets by chance.
#pragma once

#include "base/types.hpp"

namespace dpdtree {

// The x that half a chi-squared variable of `degrees` (>= 1) degrees of freedom exceeds
// with probability exp(log_level): the inverse of the upper incomplete gamma function
// of shape degrees / 2. For levels up to 0.05, in logarithms because they may be tiny.
double gamma_quantile(u32 degrees, double log_level);

}  // namespace dpdtree
