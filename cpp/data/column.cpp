#include "data/column.hpp"

#include <algorithm>
#include <limits>

namespace dpdtree {

u32 ColumnOrder::position_of_tie(Row row, u32 first) const {
  const auto at = std::lower_bound(ties.begin(), ties.end(), row,
                                   [](const Tie& t, Row r) { return t.row < r; });
  return at != ties.end() && at->row == row ? at->position : first;
}

double Column::value(u32 c) const {
  return has_order ? load(order.x, order.first_row_of(c)) + 0.0 : lower[c];
}

double Column::threshold_between(u32 a, u32 b) const {
  if (binned) b = a + 1;  // a threshold inside a bin could not be mapped to codes
  if (b >= n_values) return std::numeric_limits<double>::infinity();
  const double v0 = upper_value(a);
  const double v1 = value(b);
  const double mid = v0 / 2 + v1 / 2;
  return mid >= v0 && mid < v1 ? mid : v0;
}

u32 Column::cut_of(double threshold, u32 least, u32 most) const {
  u32 lo = least, hi = most;
  while (lo < hi) {
    const u32 middle = lo + (hi - lo) / 2;
    if (value(middle) <= threshold)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

Codes make_codes(std::size_t n, u32 n_codes, Arena* memory) {
  if (n_codes <= 0x100) return UninitializedVector<u8>(n, RawAllocator<u8>(memory));
  if (n_codes <= 0x10000) return UninitializedVector<u16>(n, RawAllocator<u16>(memory));
  return UninitializedVector<u32>(n, RawAllocator<u32>(memory));
}

}  // namespace dpdtree
