// One worker's memory of a search: the rows and statistics of the children at every
// depth.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "plan/search_context.hpp"

namespace dpdtree {

struct Worker {
  struct Level {
    RowBuffer rows;
    std::vector<double> stats;

    void make_room(std::size_t n_rows, std::size_t stats_width) {
      if (rows.size() < n_rows) rows.resize(n_rows);
      stats.resize(2 * stats_width);
    }
  };

  explicit Worker(SearchContext&& own) : context(std::move(own)) {}

  Level& level(u32 depth, std::size_t n_rows, std::size_t stats_width) {
    while (levels.size() <= depth) levels.emplace_back();
    levels[depth].make_room(n_rows, stats_width);
    return levels[depth];
  }

  SearchContext context;
  std::deque<Level> levels;  // addresses stay while deeper levels are added
  Level leaves;              // below the last split
};

using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace dpdtree
