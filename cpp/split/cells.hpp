// Histograms over the codes of a column.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/column.hpp"
#include "objective/targets.hpp"
#include "split/accumulators.hpp"

namespace dpdtree {

// Fills `cells` with the node's rows and `present` with the codes that occur.
void fill_cells(const Column& column, const Targets& targets, std::span<const Row> rows,
                Cells& cells, std::vector<u32>& present, ThreadPool* pool = nullptr);

// True if fill_cells lets idle threads take a share of that many rows.
bool fills_by_pieces(const Column& column, const Targets& targets, std::size_t n_rows);

}  // namespace dpdtree
