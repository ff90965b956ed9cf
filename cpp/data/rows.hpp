// Sets of rows: ascending row numbers, split stably, hashed as sets.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/column.hpp"

namespace dpdtree {

// One random 128-bit word per row; the hash of a set is the sum of its rows' words.
class RowHasher {
 public:
  explicit RowHasher(std::size_t n_rows);

  Hash128 operator()(std::span<const Row> rows) const {
    Hash128 h;
    for (const Row r : rows) h += word_[r];
    return h;
  }

 private:
  std::vector<Hash128> word_;
};

// Rows with code < cut, and the missing ones if missing_left, go to the front of `out`,
// the others behind them; both keep their order. `in` may start at `out`. `spare` has
// room for all rows. Returns the number of rows on the left.
u32 partition_rows(const Column& column, u32 cut, bool missing_left,
                   std::span<const Row> in, Row* out, std::vector<Row>& spare);

}  // namespace dpdtree
