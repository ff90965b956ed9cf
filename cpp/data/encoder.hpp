// Values → codes, once per fit.
#pragma once

#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "data/column.hpp"
#include "data/matrix_view.hpp"

namespace dpdtree {

// max_bins = 0: exact ranks; otherwise at most max_bins quantile bins per column, from
// (at most 200 000 of) the rows and their weights, which may be null. The `categorical`
// columns hold numbers of categories and are never binned. Infinite values raise
// InputError. Columns with an order read their values from x, which has to outlive
// them. Returns fewer columns than X has only if the token stopped the work.
std::vector<Column> encode(const MatrixView& x, u32 max_bins, const double* weights,
                           std::span<const u32> categorical, ThreadPool& pool,
                           StopToken& stop);

// One column of doubles, NaN = missing, which outlive it; the stage behind `encode`,
// testable alone.
Column encode_column(const std::vector<double>& values, u32 max_bins,
                     const double* weights);

}  // namespace dpdtree
