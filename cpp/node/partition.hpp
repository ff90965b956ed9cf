// Splitting a node: rows, statistics and hashes of its two children.
#pragma once

#include <array>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/rows.hpp"
#include "loss/targets.hpp"
#include "node/split.hpp"

namespace dpdtree {

// The training data as every stage below the API sees it.
struct Problem {
  const std::vector<Column>& columns;
  const Targets& targets;
  const RowHasher* hasher = nullptr;  // null: hashes are not needed
  ThreadPool* pool = nullptr;         // shares out large nodes; may be null

  Hash128 hash(std::span<const Row> rows) const {
    return hasher != nullptr ? (*hasher)(rows) : Hash128{};
  }
};

// A child's statistics live in the caller's `stats` buffer (stats_width doubles).
struct Children {
  NodeView left;
  NodeView right;
};

// Room for both children, the left one first: as many rows as the node has, statistics
// and names.
struct ChildRoom {
  Row* rows;
  double* stats;
  NodePath* paths;
};

// The same, with memory of its own.
struct ChildBuffers {
  RowBuffer rows;
  std::vector<double> stats;
  std::array<NodePath, 2> paths;

  ChildRoom make_room(std::size_t n_rows, std::size_t stats_width) {
    if (rows.size() < n_rows) rows.resize(n_rows);
    stats.resize(2 * stats_width);
    return {rows.data(), stats.data(), paths.data()};
  }
  ChildRoom make_room(const NodeView& node) {
    return make_room(node.rows.size(), node.stats.size());
  }
};

// Fills a view of `rows`, computing everything from scratch.
NodeView make_node(const Problem& problem, std::span<const Row> rows, double* stats);

// Moves the node's rows to `out` (which may be where they are), left child first, and
// settles split.missing if it was `heavier`, and split.middle if the node has
// constraints; its children then have theirs.
Children split_node(const Problem& problem, const NodeView& node, Split& split,
                    Row* out, RowBuffer& spare, double* left_stats,
                    double* right_stats);

// The statistics and weights of both children only: no rows are moved, and the views
// have none. split.missing as above.
Children split_stats(const Problem& problem, const NodeView& node, Split& split,
                     double* left_stats, double* right_stats);

}  // namespace dpdtree
