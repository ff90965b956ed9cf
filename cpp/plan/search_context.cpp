#include "plan/search_context.hpp"

#include "base/rng.hpp"
#include "node/constraints.hpp"

namespace dpdtree {

const SplitFinder& Finders::operator[](SearchTarget target) const {
  Entry& wanted = entry(target);
  if (const SplitFinder* made = wanted.finder.load(std::memory_order_acquire))
    return *made;
  std::lock_guard lock(mutex_);
  if (wanted.owned == nullptr) wanted.owned = make_(*wanted.spec);
  wanted.finder.store(wanted.owned.get(), std::memory_order_release);
  return *wanted.owned;
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
  std::vector<double> stats(2 * node.stats.size());
  const Children children = data.child_sums(node, split, stats.data());
  return keeps_bounds(node, split, children.left, children.right);
}

FoundSplit SearchContext::find_directly(const NodeView& node, FeatureList& features,
                                        bool error_bound, SearchTarget aim) {
  Hash128 key = node.key();
  key.lo ^= mix64(static_cast<u64>(aim));
  const auto usable = [&](const KnownSplit& k) { return k.with_bound || !error_bound; };
  if (KnownSplit known; memo != nullptr && memo->lookup(key, known, usable)) {
    ++counters.split_memo_hits;
    return known.found;
  }
  ++counters.splits_searched;
  SplitRequest request;
  request.error_bound = error_bound;
  const FoundSplit found = data.best_split(*this, node, features, aim, request);
  if (memo != nullptr && !poller.stopped()) memo->store(key, {found, error_bound}, 1);
  return found;
}

}  // namespace dpdtree
