#include "tree/predict.hpp"

#include <algorithm>

#include "tree/walk.hpp"

namespace dpdtree {
namespace {

// Rows that walk side by side: their values stay in the first cache.
constexpr std::size_t kBlock = 64;
constexpr std::size_t kRowsPerTask = 1 << 14;
// Fewer rows than this are not worth the flat form of a tree.
constexpr std::size_t kFewRows = 8;

// write(first row, leaves of the rows from there on) for all rows. Each value is read
// from memory once: it is looked at and walked on while it is in the cache.
template <class Write>
void for_leaves(const Tree& tree, const MatrixView& x, ThreadPool& pool,
                const Write& write) {
  if (x.rows < kFewRows) {
    check_finite(x);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const u32 leaf = leaf_of_row(tree, x, i);
      write(i, std::span(&leaf, 1));
    }
    return;
  }
  const TreeWalk walk(tree, x.col_stride);
  const std::size_t n_tasks = (x.rows + kRowsPerTask - 1) / kRowsPerTask;
  pool.parallel_for(n_tasks, [&](std::size_t task, unsigned) {
    const std::size_t last = std::min(x.rows, (task + 1) * kRowsPerTask);
    u32 leaf[kBlock];
    for (std::size_t first = task * kRowsPerTask; first < last; first += kBlock) {
      const MatrixView block = rows_of(x, first, std::min(last, first + kBlock));
      if (has_infinity(block)) check_finite(x);  // throws
      walk.leaves(block, leaf);
      write(first, std::span(leaf, block.rows));
    }
  });
}

}  // namespace

void apply(const Tree& tree, const MatrixView& x, ThreadPool& pool, i64* leaf) {
  for_leaves(tree, x, pool, [&](std::size_t first, std::span<const u32> leaves) {
    std::copy(leaves.begin(), leaves.end(), leaf + first);
  });
}

template <class T>
void look_up(const Tree& tree, const MatrixView& x, ThreadPool& pool,
             std::span<const T> table, std::size_t width, T* out) {
  for_leaves(tree, x, pool, [&](std::size_t first, std::span<const u32> leaves) {
    T* to = out + first * width;
    if (width == 1)
      for (const u32 leaf : leaves) *to++ = table[leaf];
    else
      for (const u32 leaf : leaves)
        to = std::copy_n(table.data() + leaf * width, width, to);
  });
}

template void look_up(const Tree&, const MatrixView&, ThreadPool&, std::span<const i64>,
                      std::size_t, i64*);
template void look_up(const Tree&, const MatrixView&, ThreadPool&,
                      std::span<const double>, std::size_t, double*);

void decision_path(const Tree& tree, const MatrixView& x, std::vector<i64>& indptr,
                   std::vector<i64>& indices) {
  check_finite(x);
  const TreeWalk walk(tree, x.col_stride);
  indptr.assign(1, 0);
  for (std::size_t i = 0; i < x.rows; ++i) {
    walk.path(rows_of(x, i, i + 1), indices);
    indptr.push_back(static_cast<i64>(indices.size()));
  }
}

}  // namespace dpdtree
