// One encoded feature. Invariants:
// * code[row] orders the rows by value, in 0 … n_values-1; a missing value has the code
//   n_values. It is the rank of the value among the distinct ones, a quantile bin, or,
//   where almost all values are distinct, the position of the first row with that value
//   in the sorted order (so that some codes below n_values do not occur).
// * value(c) … upper_value(c) is the range of the values behind code c; they ascend.
// * Columns of more than kFewValues distinct values also keep their order.
// * The codes of a categorical column have no meaning as numbers: they follow the first
//   appearance of the categories, whatever these are called, so that ties do not depend
//   on names. It has neither values nor an order, but `category`.
#pragma once

#include <variant>
#include <vector>

#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"
#include "data/matrix_view.hpp"

namespace dpdtree {

inline constexpr u32 kFewValues = 256;  // with those missing, if there are any

// Codes as narrow as the number of values allows: most real columns fit one byte.
using Codes = std::variant<UninitializedVector<u8>, UninitializedVector<u16>,
                           UninitializedVector<u32>>;

// The rows of a column by ascending value, equal ones by row number, missing ones last.
struct ColumnOrder {
  MatrixView x;                     // one column: where the values are
  UninitializedVector<u32> sorted;  // rows; if codes are ranks perhaps scan keys
                                    // instead, see split/ordering.hpp

  // Codes are ranks: the position of each row (empty if it is the code) and the first
  // row of each code.
  Codes position;
  std::vector<Row> first_row;

  // Codes are positions: bit p tells that the value at position p is not that at p-1;
  // class and kTied at each position (or empty); and the positions of the rows that are
  // not the first of their value, by row.
  static constexpr u8 kTied = 0x80;
  std::vector<u64> starts;
  UninitializedVector<u8> classes;
  struct Tie {
    Row row;
    u32 position;
  };
  std::vector<Tie> ties;  // if any, the last of them is none: a row behind all others

  bool by_position() const { return !starts.empty(); }
  bool starts_at(std::size_t p) const { return (starts[p / 64] >> (p % 64) & 1) != 0; }
  Row first_row_of(u32 code) const {
    return by_position() ? sorted[code] : first_row[code];
  }
  // Of a row among ties; `first` is the position of the first of its value.
  u32 position_of_tie(Row row, u32 first) const;
};

struct Column {
  Codes code;
  std::vector<double> lower;  // empty with an order: X has the values
  std::vector<double> upper;  // empty if equal to `lower` (exact ranks)
  u32 n_values = 0;
  u32 n_missing = 0;
  bool binned = false;

  bool categorical = false;
  std::vector<u32> category;  // the caller's number of the category behind each code

  bool has_order = false;
  ColumnOrder order;

  u32 n_codes() const { return n_values + (n_missing > 0 ? 1 : 0); }
  u32 missing_code() const { return n_values; }
  // False for codes that no row has; see the top.
  bool occurs(std::size_t c) const {
    return !order.by_position() || order.starts_at(c);
  }
  double value(u32 c) const;
  double upper_value(u32 c) const { return upper.empty() ? value(c) : upper[c]; }

  // The threshold of a split whose left side ends with code a and whose right side
  // starts with code b > a (b == n_values: only missing values are right).
  double threshold_between(u32 a, u32 b) const;

  // The number of codes that go left at this threshold: every code below it does. It
  // is known to be one of least … most.
  u32 cut_of(double threshold, u32 least, u32 most) const;
  u32 cut_of(double threshold) const { return cut_of(threshold, 0, n_values); }
};

// Room for the codes of n rows, as narrow as n_codes allows; in `memory`, if any.
Codes make_codes(std::size_t n, u32 n_codes, Arena* memory = nullptr);

template <class F>
decltype(auto) visit_codes(const Codes& codes, F&& f) {
  return std::visit([&](const auto& v) -> decltype(auto) { return f(v.data()); },
                    codes);
}

}  // namespace dpdtree
