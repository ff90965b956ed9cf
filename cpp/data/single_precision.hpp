// What single precision makes of a value: models are exported to readers that know no
// other, and no training row may change sides there.
#pragma once

#include <cmath>
#include <limits>

namespace dpdtree {

inline double in_single(double v) { return static_cast<float>(v); }

// Whether single precision holds a value to its seven digits. Beyond its range it has
// none: there, values stay as they are.
inline bool fits_single(double v) {
  using Single = std::numeric_limits<float>;
  const double size = std::fabs(v);
  return size == 0 || (size >= Single::min() && size <= Single::max());
}

inline bool same_in_single(double a, double b) {
  return in_single(a) == in_single(b) && fits_single(a) && fits_single(b);
}

}  // namespace dpdtree
