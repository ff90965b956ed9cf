#include "plan/search_context.hpp"

#include "base/rng.hpp"
#include "node/constraints.hpp"

namespace dpdtree {
namespace {

// Below this many cells one thread finds a split faster than two can share it.
constexpr u64 kCellsForPool = 100'000;

}  // namespace

bool SplitMemo::lookup(const Hash128& key, bool with_bound, FoundSplit& out) {
  Shard& shard = shards_[key.hi % kShards];
  std::lock_guard lock(shard.mutex);
  const auto it = shard.map.find(key);
  if (it == shard.map.end() || (with_bound && !it->second.with_bound)) return false;
  out = it->second.split;
  return true;
}

void SplitMemo::store(const Hash128& key, bool with_bound, const FoundSplit& split) {
  Shard& shard = shards_[key.hi % kShards];
  std::lock_guard lock(shard.mutex);
  if (shard.map.size() < shard_capacity_ || shard.map.contains(key))
    shard.map[key] = {split, with_bound};
}

void SearchCounters::add(const SearchCounters& o) {
  states += o.states;
  candidates += o.candidates;
  splits_searched += o.splits_searched;
  split_memo_hits += o.split_memo_hits;
  state_memo_hits += o.state_memo_hits;
  pruned += o.pruned;
}

// The rows of a node meet many bounds, but few of these matter to their best split.
FoundSplit SearchContext::find(const NodeView& node, FeatureList& features,
                               bool error_bound, SearchTarget aim) {
  if (!node.constraints || node.constraints->rules->monotonic.empty())
    return find_directly(node, features, error_bound, aim);
  NodeView free = node;
  free.constraints = made_free(node.constraints);
  const FoundSplit found = find_directly(free, features, error_bound, aim);
  const bool same = free.constraints == node.constraints || !found.found ||
                    holds_within_bounds(node, found);
  return same ? found : find_directly(node, features, error_bound, aim);
}

bool SearchContext::holds_within_bounds(const NodeView& node,
                                        const FoundSplit& found) const {
  const NodeConstraints& c = *node.constraints;
  if (c.strict && found.decrease <= 0 && c.price(found.split.feature) > 0) return false;
  Split split = found.split;
  const std::size_t width = problem.targets.stats_width();
  std::vector<double> stats(2 * width);
  const Children children =
      split_stats(problem, node, split, stats.data(), stats.data() + width);
  return keeps_bounds(node, split, children.left, children.right);
}

FoundSplit SearchContext::find_directly(const NodeView& node, FeatureList& features,
                                        bool error_bound, SearchTarget aim) {
  FoundSplit found;
  Hash128 key = node.key();
  key.lo ^= mix64(static_cast<u64>(aim));
  if (memo != nullptr && memo->lookup(key, error_bound, found)) {
    ++counters.split_memo_hits;
    return found;
  }
  ++counters.splits_searched;
  SplitRequest request;
  request.error_bound = error_bound;
  const SplitFinder& finder = *finders[aim].finder;
  ThreadPool* pool = problem.pool;
  const bool share = pool != nullptr && pool->has_help() &&
                     u64{node.n()} * features->size() >= kCellsForPool;
  found =
      share ? finder.find_parallel(node, features, request, *pool_scratch, stop, *pool)
            : finder.find(node, features, request, scratch, poller);
  if (memo != nullptr && !poller.stopped()) memo->store(key, error_bound, found);
  return found;
}

}  // namespace dpdtree
