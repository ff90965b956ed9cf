// One worker's memory of a search: the rows and statistics of the children at every
// depth.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "plan/search_context.hpp"

namespace dpdtree {

struct Worker {
  explicit Worker(SearchContext&& own) : context(std::move(own)) {}

  ChildRoom children_of(const NodeView& node, u32 depth) {
    while (levels.size() <= depth) levels.emplace_back();
    return levels[depth].make_room(node);
  }

  SearchContext context;
  std::deque<ChildBuffers> levels;  // addresses stay while deeper levels are added
  ChildBuffers leaves;              // below the last split
};

using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace dpdtree
