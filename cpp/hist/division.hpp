// Dividing the rows of a node between its children.
#pragma once

#include "base/thread_pool.hpp"
#include "hist/node.hpp"

namespace dpdtree::boosting {

// Rows go to `out`, which has room for as many: the left ones from the front, in their
// order, the others from the back. Returns the number of the former.
std::size_t divide(const BinnedData& data, ThreadPool& pool, const RowSet& rows,
                   const BinnedSplit& rule, const RowSet& out);

}  // namespace dpdtree::boosting
