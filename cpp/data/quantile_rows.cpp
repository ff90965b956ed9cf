#include "data/quantile_rows.hpp"

#include <algorithm>

#include "base/rng.hpp"

namespace dpdtree {

std::vector<Row> rows_for_quantiles(std::size_t n, const double* weights) {
  std::vector<Row> rows;
  const std::size_t count = std::min(n, kRowsForQuantiles);
  const u64 step = (static_cast<u64>(n) << 16) / std::max<std::size_t>(count, 1);
  for (std::size_t i = 0; i < count; ++i) {
    // One row of each of `count` equal stretches: no stretch of the data is left out.
    const u64 offset = count == n ? 0 : mix64(i) % step;
    const auto row = static_cast<Row>((i * step + offset) >> 16);
    if (weights == nullptr || weights[row] > 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace dpdtree
