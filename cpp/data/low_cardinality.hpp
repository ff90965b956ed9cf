// Columns of few distinct values: encoded while they are read, by hashing instead of
// sorting.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/column.hpp"

namespace dpdtree {

// Each of the columns `features` of x, or nothing if it has more than kFewValues values
// (which is noticed early). Infinite values that were met raise InputError.
std::vector<std::optional<Column>> encode_few_values(const MatrixView& x,
                                                     std::span<const u32> features,
                                                     ThreadPool* pool);

}  // namespace dpdtree
