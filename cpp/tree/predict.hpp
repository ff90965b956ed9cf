// Prediction of one tree: rows walk on raw values. All of it throws InputError where X
// holds an infinite value.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/matrix_view.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

// The leaf of every row.
void apply(const Tree& tree, const MatrixView& x, ThreadPool& pool, i64* leaf);

// What a table with `width` entries per node says of the leaf of every row. T: i64 or
// double.
template <class T>
void look_up(const Tree& tree, const MatrixView& x, ThreadPool& pool,
             std::span<const T> table, std::size_t width, T* out);

// The nodes every row passes, as the indptr and indices of a CSR matrix.
void decision_path(const Tree& tree, const MatrixView& x, std::vector<i64>& indptr,
                   std::vector<i64>& indices);

}  // namespace dpdtree
