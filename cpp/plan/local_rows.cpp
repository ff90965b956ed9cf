#include "plan/local_rows.hpp"

#include <algorithm>

#include "node/unseen_categories.hpp"
#include "split/thresholds.hpp"

namespace dpdtree {
namespace {

// Below this many cells one thread finds a split faster than two can share it.
constexpr u64 kCellsForPool = 100'000;

}  // namespace

FoundSplit LocalRows::best_split(SearchContext& worker, const NodeView& node,
                                 FeatureList& features, SearchTarget target,
                                 const SplitRequest& request) const {
  const SplitFinder& finder = finders_[target];
  ThreadPool* pool = problem_.pool;
  const bool one_by_one =
      request.visit_all != nullptr || request.feature_scores != nullptr;
  const bool share = pool != nullptr && !one_by_one && pool->has_help() &&
                     u64{node.n()} * features->size() >= kCellsForPool;
  if (!share)
    return finder.find(node, features, request, worker.scratch, worker.poller);
  return finder.find_parallel(node, features, request, *worker.pool_scratch,
                              worker.stop, *pool);
}

Children LocalRows::divide(SearchContext& worker, const NodeView& node, Split& split,
                           const ChildRoom& room) const {
  Children c = split_node(problem_, node, split, room.rows, worker.spare_rows,
                          room.stats, room.stats + node.stats.size());
  room.paths[0] = {node.path, split, false};
  room.paths[1] = {node.path, split, true};
  c.left.path = &room.paths[0];
  c.right.path = &room.paths[1];
  return c;
}

Children LocalRows::child_sums(const NodeView& node, Split& split,
                               double* stats) const {
  return split_stats(problem_, node, split, stats, stats + node.stats.size());
}

double LocalRows::log_choices(SearchContext& worker, const NodeView& node,
                              const Split& split) const {
  return dpdtree::log_choices(problem_.columns[split.feature], node.rows, split,
                              worker.scratch.seen_codes);
}

bool LocalRows::sees_missing(const NodeView& node, u32 feature) const {
  const Column& column = problem_.columns[feature];
  if (column.n_missing == 0) return false;
  return visit_codes(column.code, [&](const auto* code) {
    return std::any_of(node.rows.begin(), node.rows.end(),
                       [&](Row r) { return code[r] == column.missing_code(); });
  });
}

void LocalRows::place_unseen(const NodeView& node, const NodeView& all,
                             Split& split) const {
  place_absent(problem_, node.rows, all.rows, split);
}

void LocalRows::place_unseen(const Sample& sample, const NodeView& all,
                             Split& split) const {
  place_absent(problem_, sample.rows, all.rows, split);
}

Sample LocalRows::sample(const SearchContext& worker, const NodeView& node,
                         std::size_t most, const std::vector<u32>&) const {
  return draw_sample(problem_.targets, node, most, worker.limits.min_samples_leaf);
}

}  // namespace dpdtree
