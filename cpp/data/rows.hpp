// Sets of rows: ascending row numbers, split stably, hashed as sets.
#pragma once

#include <span>
#include <vector>

#include "base/rng.hpp"
#include "base/thread_pool.hpp"
#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"
#include "data/categories.hpp"
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

// The codes that go left: those below the cut, or those of the set if there is one; and
// the code of missing values unless that is ~0.
struct LeftCodes {
  u32 cut = 0;
  const CategorySet* set = nullptr;
  u32 missing = ~0u;
};

// Calls f with a predicate over codes; which kind it is is asked once, not per row.
template <class F>
decltype(auto) visit_side(const LeftCodes& left, F&& f) {
  const u32 cut = left.cut, missing = left.missing;
  if (left.set == nullptr)
    return f([=](u32 code) { return code < cut || code == missing; });
  const CategorySet& set = *left.set;
  return f([&set, missing](u32 code) { return set.contains(code) || code == missing; });
}

// Rows whose code goes left move to the front of `out`, the others behind them; both
// keep their order. `in` may start at `out`. Returns the number of rows on the left.
u32 partition_rows(const Column& column, const LeftCodes& left, std::span<const Row> in,
                   Row* out, RowBuffer& spare, ThreadPool* pool = nullptr);

}  // namespace dpdtree
