// Columns of many distinct values: encoded through their sorted order, which they keep.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/column.hpp"
#include "data/radix_sort.hpp"

namespace dpdtree {

// `x` holds the same values; it outlives the column, which reads thresholds from it.
Column encode_many_values(std::span<const double> values, const MatrixView& x,
                          SortScratch& scratch, ThreadPool* pool);

}  // namespace dpdtree
