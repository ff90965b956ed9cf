// One encoded feature. Invariants:
// * code[row] is the rank of the row's value among the column's distinct values (or its
//   quantile bin), in 0 … n_values-1; a missing value has the code n_values.
// * lower[c] … upper[c] is the range of the values behind code c; ranges ascend.
// * Columns of more than kFewValues distinct values also keep the sorted order:
//   position[row] is the row's place in it, sorted[position[row]] == row at first; the
//   splitter may replace the rows in `sorted` by scan keys (see split/ordering.hpp).
// * The codes of a categorical column have no meaning as numbers: they follow the first
//   appearance of the categories, whatever these are called, so that ties do not depend
//   on names. It has neither `lower` nor an order, but `category`.
#pragma once

#include <variant>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

inline constexpr u32 kFewValues = 255;

// Codes as narrow as the number of values allows: most real columns fit one byte.
using Codes = std::variant<std::vector<u8>, std::vector<u16>, std::vector<u32>>;

struct Column {
  Codes code;
  std::vector<double> lower;
  std::vector<double> upper;  // empty if equal to `lower` (exact ranks)
  u32 n_values = 0;
  u32 n_missing = 0;
  bool binned = false;

  bool categorical = false;
  std::vector<u32> category;  // the caller's number of the category behind each code

  bool has_order = false;
  bool position_is_code = false;  // all values distinct: `position` is left empty
  Codes position;
  std::vector<u32> sorted;

  u32 n_codes() const { return n_values + (n_missing > 0 ? 1 : 0); }
  u32 missing_code() const { return n_values; }
  double upper_value(u32 c) const { return upper.empty() ? lower[c] : upper[c]; }

  // The threshold of a split whose left side ends with code a and whose right side
  // starts with code b > a (b == n_values: only missing values are right).
  double threshold_between(u32 a, u32 b) const;

  // The number of codes that go left at this threshold: every code below it does.
  u32 cut_of(double threshold) const;
};

// Codes of n rows, as narrow as n_codes allows, all set to `fill`.
Codes make_codes(std::size_t n, u32 n_codes, u32 fill);

template <class F>
decltype(auto) visit_codes(const Codes& codes, F&& f) {
  return std::visit([&](const auto& v) -> decltype(auto) { return f(v.data()); },
                    codes);
}

}  // namespace dpdtree
