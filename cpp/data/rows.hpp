// Sets of rows: ascending row numbers, split stably, hashed as sets.
#pragma once

#include <span>
#include <vector>

#include "base/rng.hpp"
#include "base/thread_pool.hpp"
#include "base/types.hpp"
#include "data/column.hpp"

namespace dpdtree {

// One random 128-bit word per row; the hash of a set is the sum of its rows' words. The
// words are made again each time: a table of them would be read from memory, no faster.
class RowHasher {
 public:
  Hash128 operator()(std::span<const Row> rows) const {
    Hash128 h;
    for (const Row r : rows) h += {mix64(2 * u64{r}), mix64(2 * u64{r} + 1)};
    return h;
  }
};

// Rows with code < cut, and the missing ones if missing_left, go to the front of `out`,
// the others behind them; both keep their order. `in` may start at `out`. `spare` has
// room for all rows. Returns the number of rows on the left.
u32 partition_rows(const Column& column, u32 cut, bool missing_left,
                   std::span<const Row> in, Row* out, std::vector<Row>& spare,
                   ThreadPool* pool = nullptr);

}  // namespace dpdtree
