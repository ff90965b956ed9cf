// Prediction of one tree: rows walk on raw values.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "data/matrix_view.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

// The leaf of every row.
void apply(const Tree& tree, const MatrixView& x, ThreadPool& pool, i64* leaf);

// The nodes every row passes, as the indptr and indices of a CSR matrix.
void decision_path(const Tree& tree, const MatrixView& x, std::vector<i64>& indptr,
                   std::vector<i64>& indices);

}  // namespace dpdtree
