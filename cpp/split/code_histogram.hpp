// Histograms over the codes of a column.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/column.hpp"
#include "loss/targets.hpp"
#include "split/accumulators.hpp"

namespace dpdtree {

// Fills `cells` with the node's rows and `present` with the codes that occur.
void fill_cells(const Column& column, const Targets& targets, std::span<const Row> rows,
                CodeHistogram& cells, std::vector<u32>& present,
                ThreadPool* pool = nullptr);

// True if so few cells tell more about as many rows than their order does, if there is
// one.
inline bool suits_cells(const Column& column, const Targets& targets,
                        std::size_t n_rows) {
  const std::size_t most_per_row = column.has_order ? 2 : 32;
  return std::size_t{column.n_codes()} * cell_width(targets) <= most_per_row * n_rows;
}

// The same of counts by code and class.
void copy_cells(std::span<const u32> counts, const Targets& targets,
                CodeHistogram& cells, std::vector<u32>& present);

// True if fill_cells lets idle threads take a share of that many rows.
bool fills_by_pieces(const Column& column, const Targets& targets, std::size_t n_rows);

// Room for so many empty cells, and one row more in one of them.
void clear_cells(const Targets& targets, std::size_t n_cells, CodeHistogram& cells);
void add_to_cell(const Targets& targets, Row row, u32 cell, CodeHistogram& cells);

// The same for rows sorted by code, with cells for the codes that occur only: for small
// nodes of columns with many codes. `code_of_cell` tells which these are.
void fill_cells_of_sorted(const Column& column, const Targets& targets,
                          std::span<const Row> rows, CodeHistogram& cells,
                          std::vector<u32>& present, std::vector<u32>& code_of_cell);

}  // namespace dpdtree
