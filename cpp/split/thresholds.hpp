// How many splits a feature offers in a set of rows: what it takes to name one.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "data/categories.hpp"
#include "data/column.hpp"
#include "node/split.hpp"

namespace dpdtree {

// ln T of a threshold between n values, missing counting as one.
inline double log_thresholds(u32 n_values) {
  return n_values > 2 ? std::log(static_cast<double>(n_values - 1)) : 0;
}

// ln of the number of ways to choose m of n. Not by std::lgamma, which writes to a
// variable that all threads share.
inline double log_binomial(u32 n, u32 m) {
  constexpr double kLarge = 1e280;
  double log = 0, product = 1;
  for (u32 i = 1; i <= m; ++i) {
    product *= static_cast<double>(n - m + i) / i;
    if (product < kLarge) continue;
    log += std::log(product);
    product = 1;
  }
  return log + std::log(product);
}

// ln T of a set of n_left of n categories: first how many, then which. A few against
// many are told in fewer words than half of them.
inline double log_category_sets(u32 n, u32 n_left) {
  if (n < 3) return 0;
  const u32 m = std::min(n_left, n - n_left);
  const double mirrored = 2 * m == n ? std::numbers::ln2 : 0;
  const u32 most = n / 2;
  return std::log(static_cast<double>(most)) + log_binomial(n, m) - mirrored;
}

// How many different codes these rows have. `seen` has room for all codes, all zero
// before and after. No branch: nobody can predict it.
template <class Code>
u32 count_codes(const Code* code, std::span<const Row> rows, u32 n_codes, u8* seen) {
  constexpr std::size_t kCodesPerRow = 16;
  u32 n = 0;
  if (n_codes > kCodesPerRow * rows.size()) {
    for (const Row r : rows) {
      n += seen[code[r]] ^ 1u;
      seen[code[r]] = 1;
    }
    for (const Row r : rows) seen[code[r]] = 0;
    return n;
  }
  for (const Row r : rows) seen[code[r]] = 1;
  for (u32 c = 0; c < n_codes; ++c) n += seen[c];
  std::fill_n(seen, n_codes, u8{0});
  return n;
}

// ln T of the split among the splits of its feature. `seen` is scratch memory, all zero
// before and after.
inline double log_choices(const Column& column, std::span<const Row> rows,
                          const Split& split, std::vector<u8>& seen) {
  if (seen.size() < column.n_codes()) seen.resize(column.n_codes(), 0);
  if (!split.categories)
    return visit_codes(column.code, [&](const auto* code) {
      return log_thresholds(count_codes(code, rows, column.n_codes(), seen.data()));
    });
  const bool missing_left = split.missing == Missing::left;
  u32 values = 0, left = 0;
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : rows) {
      const u32 c = code[r];
      if (seen[c] != 0) continue;
      seen[c] = 1;
      ++values;
      left += c == column.missing_code() ? missing_left : split.categories->contains(c);
    }
    for (const Row r : rows) seen[code[r]] = 0;
  });
  return log_category_sets(values, left);
}

}  // namespace dpdtree
