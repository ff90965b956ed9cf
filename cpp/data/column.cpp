#include "data/column.hpp"

#include <algorithm>
#include <limits>

namespace dpdtree {

double Column::threshold_between(u32 a, u32 b) const {
  if (binned) b = a + 1;  // a threshold inside a bin could not be mapped to codes
  if (b >= n_values) return std::numeric_limits<double>::infinity();
  const double v0 = upper_value(a);
  const double v1 = lower[b];
  const double mid = v0 / 2 + v1 / 2;
  return mid >= v0 && mid < v1 ? mid : v0;
}

u32 Column::cut_of(double threshold) const {
  const auto it = std::upper_bound(lower.begin(), lower.end(), threshold);
  return static_cast<u32>(it - lower.begin());
}

Codes make_codes(std::size_t n, u32 n_codes, u32 fill) {
  if (n_codes <= 0x100) return std::vector<u8>(n, static_cast<u8>(fill));
  if (n_codes <= 0x10000) return std::vector<u16>(n, static_cast<u16>(fill));
  return std::vector<u32>(n, fill);
}

}  // namespace dpdtree
