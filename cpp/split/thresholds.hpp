// How many splits a feature offers in a set of rows: what it takes to name one.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "data/categories.hpp"
#include "data/column.hpp"
#include "split/split.hpp"

namespace dpdtree {

// ln T of a threshold between n values, missing counting as one.
inline double log_thresholds(u32 n_values) {
  return n_values > 2 ? std::log(static_cast<double>(n_values - 1)) : 0;
}

// ln T of a set of n_left of n categories: first how many, then which. A few against
// many are told in fewer words than half of them.
inline double log_category_sets(u32 n, u32 n_left) {
  if (n < 3) return 0;
  const double k = n, m = std::min(n_left, n - n_left);
  const double which = std::lgamma(k + 1) - std::lgamma(m + 1) - std::lgamma(k - m + 1);
  const double mirrored = 2 * m == k ? std::numbers::ln2 : 0;
  return std::log(std::floor(k / 2)) + which - mirrored;
}

// ln T of the split among the splits of its feature. `seen` is scratch memory, all zero
// before and after.
inline double log_choices(const Column& column, std::span<const Row> rows,
                          const Split& split, std::vector<u8>& seen) {
  if (seen.size() < column.n_codes()) seen.resize(column.n_codes(), 0);
  const bool missing_left = split.missing == Missing::left;
  u32 values = 0, left = 0;
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : rows) {
      const u32 c = code[r];
      if (seen[c] != 0) continue;
      seen[c] = 1;
      ++values;
      if (split.categories)
        left +=
            c == column.missing_code() ? missing_left : split.categories->contains(c);
    }
    for (const Row r : rows) seen[code[r]] = 0;
  });
  return split.categories ? log_category_sets(values, left) : log_thresholds(values);
}

}  // namespace dpdtree
