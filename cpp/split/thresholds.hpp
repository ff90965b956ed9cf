// How many thresholds a feature offers in a set of rows.
#pragma once

#include <span>
#include <vector>

#include "data/column.hpp"

namespace dpdtree {

// The number of distinct values among the rows, missing counting as one, less one.
// `seen` is scratch memory, all zero before and after.
inline u32 count_thresholds(const Column& column, std::span<const Row> rows,
                            std::vector<u8>& seen) {
  if (seen.size() < column.n_codes()) seen.resize(column.n_codes(), 0);
  u32 values = 0;
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : rows) {
      values += seen[code[r]] == 0;
      seen[code[r]] = 1;
    }
    for (const Row r : rows) seen[code[r]] = 0;
  });
  return values > 0 ? values - 1 : 0;
}

}  // namespace dpdtree
