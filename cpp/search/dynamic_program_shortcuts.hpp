// What only saves time: states whose value is known without trying all their actions.
// A part of dynamic_program.cpp, and included there only.
#pragma once

#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "search/dynamic_program.hpp"
#include "search/dynamic_program_action.hpp"
#include "search/greedy_tree.hpp"

namespace dpdtree {

// In this order: a leaf by necessity or because no split can beat it, a bound beyond
// the budget, a state that was met before, a greedy tail, the last level.
template <ValueModel V>
auto DynamicProgram<V>::shortcut(Worker& w, State& s) -> std::optional<Result> {
  ++w.context.counters.states;
  Result leaf{value_.leaf(s.node)};
  const u32 levels = levels_of(s);
  if (levels == 0) return leaf;
  if (w.context.poller.stopped()) {
    leaf.exact = false;
    return leaf;
  }
  const Bound after_split = value_.after_split(s.node, levels);
  if (value_.useless(after_split, leaf.front)) return leaf;  // ties go to the leaf
  if (exceeds(value_.either(value_.bound_of(leaf.front), after_split), s.budget)) {
    ++w.context.counters.pruned;
    leaf.pruned = true;
    return leaf;
  }
  if (Result known; memo_ && !keeps_roots(s) && memo_->lookup(key(s), known)) {
    ++w.context.counters.state_memo_hits;
    return known;
  }
  if (!generator_.ignores_count() && breadth_.greedy_from(s.depth))
    return remember(w, s, greedy_tail(w, s));
  if (levels > 1) return std::nullopt;
  return remember(w, s,
                  breadth_.exhaustive_last ? exhaustive_level(w, s) : last_level(w, s));
}

template <ValueModel V>
auto DynamicProgram<V>::remember(Worker& w, const State& s, Result known) -> Result {
  if (w.context.poller.stopped()) known.exact = false;
  if (memo_ && known.exact && !known.pruned && known.complete)
    memo_->store(key(s), known, V::bytes(known.front));
  return known;
}

// A state is a set of rows (with its constraints) at a depth. Programs that share what
// they know may end at different depths.
template <ValueModel V>
Hash128 DynamicProgram<V>::key(const State& s) const {
  const Hash128 rows = s.node.key();
  return {rows.lo ^ mix64(s.depth + (u64{breadth_.max_depth} << 32)), rows.hi};
}

// Of any tree of at most that many levels.
template <ValueModel V>
typename V::Bound DynamicProgram<V>::least(const NodeView& node, u32 levels) const {
  const Bound leaf = value_.bound_of(value_.leaf(node));
  return levels == 0 ? leaf : value_.either(leaf, value_.after_split(node, levels));
}

template <ValueModel V>
auto DynamicProgram<V>::greedy_tail(Worker& w, const State& s) -> Result {
  const PricedPrunings prunings(value_.cost());
  GreedyLimits limits;
  limits.max_depth = levels_of(s);
  limits.prunings = breadth_.prune ? &prunings : nullptr;
  const auto grown = [&](const NodeView& root, const FoundSplit* best) {
    GreedyGrower grower(w.context);
    grower.grow(root, s.features, limits, best);
    return prune_greedy(w.context, grower, value_);
  };
  Result out{grown(s.node, s.greedy)};
  if (ranked_by_net(s.node)) value_.add(out.front, grown(strict(s.node), nullptr));
  out.exact = !w.context.poller.stopped();
  return out;
}

// Both children as leaves, in buffers that the next call overwrites. Rows are moved
// only if what a leaf costs depends on them.
template <ValueModel V>
Children DynamicProgram<V>::leaves_of(Worker& w, const NodeView& node,
                                      Split& split) const {
  const bool move = value_.cost().looks_at_rows();
  const ChildRoom room =
      w.leaves.make_room(move ? node.rows.size() : 0, node.stats.size());
  const NodeSource& data = w.context.data;
  return move ? data.divide(w.context, node, split, room)
              : data.child_sums(node, split, room.stats);
}

// One scan finds the best of all splits into two leaves.
template <ValueModel V>
auto DynamicProgram<V>::exhaustive_level(Worker& w, State& s) -> Result {
  Result best{value_.leaf(s.node)};
  FoundSplit found = w.context.find(s.node, s.features, false, SearchTarget::loss);
  if (!found.found) return best;
  ++w.context.counters.candidates;
  const Children children = leaves_of(w, s.node, found.split);
  value_.backup(best.front, found.split, value_.price(w.context, s.node, found.split),
                value_.leaf(children.left), value_.leaf(children.right));
  return best;
}

// Both children become leaves: only their statistics matter.
template <ValueModel V>
auto DynamicProgram<V>::last_level(Worker& w, State& s) -> Result {
  const Cost& cost = value_.cost();
  const bool bounded = breadth_.prune && cost.bounds_errors();
  Result best{value_.leaf(s.node)};
  const FoundSplit found =
      s.greedy != nullptr ? *s.greedy : w.context.find(s.node, s.features, bounded);
  if (!found.found) return best;
  if (bounded) {
    const Bound after_split = value_.after_stump(s.node, found.error_bound);
    if (value_.useless(after_split, best.front)) return best;
    if (exceeds(value_.either(value_.bound_of(best.front), after_split), s.budget)) {
      ++w.context.counters.pruned;
      best.pruned = true;
      return best;
    }
  }
  s.greedy = &found;
  std::vector<Split> splits{found.split};
  if (!same_minimiser(cost.criterion, cost.loss) || cost.is_mdl())
    splits = candidates(w, s);
  for (Split& split : splits) {
    ++w.context.counters.candidates;
    const Children children = leaves_of(w, s.node, split);
    if (!decreases_enough(s.node, children)) continue;
    value_.backup(best.front, split, value_.price(w.context, s.node, split),
                  value_.leaf(children.left), value_.leaf(children.right));
  }
  return best;
}

}  // namespace dpdtree
