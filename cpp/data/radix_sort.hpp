// Sorting a long column of doubles.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"

namespace dpdtree {

// The rows that are not NaN by ascending value, equal values by row. Bit i of `starts`
// tells that the value of rows[i] is not that of rows[i-1]; the bit behind the last row
// is set as well.
struct SortedRows {
  UninitializedVector<u32> rows;
  std::vector<u64> starts;
  std::size_t n_distinct = 0;
};

// Kept from column to column, so that memory is asked for once.
struct SortScratch {
  UninitializedVector<u64> words, other;
};

SortedRows sort_rows(std::span<const double> values, SortScratch& scratch,
                     ThreadPool* pool);

}  // namespace dpdtree
