// φ(s): the actions of a state. A part of dynamic_program.cpp, and included there only.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "search/candidates/merge.hpp"
#include "search/dynamic_program.hpp"
#include "search/split_checks.hpp"
#include "split/constrained_scan.hpp"

namespace dpdtree {

// A candidate split of a state, with what is known of its two sides.
template <ValueModel V>
struct DynamicProgram<V>::Action {
  Split split;
  typename V::Price price{};     // of the split, once its rows are known
  std::optional<Bound> bound{};  // the value of this action is at least that
  double rank = 0;               // by which actions with bounds are sorted
  struct Side {
    std::optional<Bound> bound{};
    bool searched = false;
    FoundSplit greedy;
    Result known;
    bool solved = false;
    bool given_up = false;  // it exceeds the budget
  };
  Side side[2];

  bool solved() const { return side[0].solved && side[1].solved; }
};

// The state as a greedy tree sees it.
inline NodeView strict(const NodeView& s) {
  NodeView view = s;
  view.constraints = made_strict(s.constraints);
  return view;
}

// True if the split keeps min_impurity_decrease at this state, not only in the node of
// the small CART where it was found.
template <ValueModel V>
bool DynamicProgram<V>::decreases_enough(const NodeView& node,
                                         const Children& children) const {
  const double least = search_.limits.min_decrease;
  if (least <= 0) return true;
  const Cost& cost = value_.cost();
  return reaches(cost.impurity(node) - cost.impurity(children.left) -
                     cost.impurity(children.right),
                 least);
}

template <ValueModel V>
bool DynamicProgram<V>::allowed(const State& s, const Children& children,
                                const Split& split) const {
  return decreases_enough(s.node, children) &&
         within_limits(search_.limits, s.node, children) &&
         !repeats_middle(s.node, children, split);
}

template <ValueModel V>
Children DynamicProgram<V>::children_of(Worker& w, const State& s, Action& action) {
  return w.context.data.divide(w.context, s.node, action.split,
                               w.children_of(s.node, s.depth));
}

// Those of the generator, and what a greedy tree would take if that is not the first.
template <ValueModel V>
std::vector<Split> DynamicProgram<V>::candidates(Worker& w, State& s) {
  std::vector<Split> splits = generator_.candidates(
      w.context, s.node, s.features, breadth_.candidates_at(s.depth), s.greedy);
  if (!ranked_by_net(s.node)) return splits;
  const FoundSplit best = w.context.find(strict(s.node), s.features, false);
  if (best.found) add_new(splits, best.split);
  return splits;
}

// With a look-ahead and three levels or more: the actions that look best, or what
// another search has chosen.
template <ValueModel V>
auto DynamicProgram<V>::chosen_actions(Worker& w, State& s) -> std::vector<Action> {
  const Hash128 rows = s.node.key();
  const Hash128 key{rows.lo ^ mix64(s.depth), rows.hi};
  std::vector<Split> splits;
  std::vector<Action> actions;
  const auto add = [&](const Split& split) { actions.emplace_back().split = split; };
  if (search_.chosen && search_.chosen->lookup(key, splits)) {
    std::for_each(splits.begin(), splits.end(), add);
    return actions;
  }
  splits = candidates(w, s);
  w.context.counters.candidates += splits.size();
  std::for_each(splits.begin(), splits.end(), add);
  select_actions(w, s, actions);
  if (!search_.chosen || w.context.poller.stopped()) return actions;
  splits.clear();
  for (const Action& action : actions) splits.push_back(action.split);
  search_.chosen->store(key, splits, 64 + splits.size() * sizeof(Split));
  return actions;
}

template <ValueModel V>
auto DynamicProgram<V>::actions(Worker& w, State& s) -> std::vector<Action> {
  const u32 levels = levels_of(s);
  const Lookahead* lookahead = breadth_.lookahead;
  if (lookahead != nullptr && levels >= 3) return chosen_actions(w, s);
  std::vector<Split> splits;
  if (lookahead != nullptr) {
    splits = lookahead->propose(w.context, s.node, s.features);
  } else {
    splits = candidates(w, s);
    if (s.node.constraints) splits = with_middles(search_.rules, levels, splits);
  }
  std::vector<Action> actions(splits.size());
  for (std::size_t i = 0; i < splits.size(); ++i) actions[i].split = splits[i];
  w.context.counters.candidates += actions.size();
  const bool worth_bounds = breadth_.prune && levels == 2 &&
                            value_.cost().bounds_errors() && actions.size() > 1 &&
                            !breadth_.exhaustive_last &&
                            breadth_.candidates_at(s.depth + 1) > 1;
  if (worth_bounds) bound_actions(w, s, actions);
  return actions;
}

// With two levels left, one scan per child bounds every action from below. Solving in
// the order of the bounds finds a good plan first and skips most other actions.
template <ValueModel V>
void DynamicProgram<V>::bound_actions(Worker& w, const State& s,
                                      std::vector<Action>& actions) {
  for (Action& action : actions) {
    const Children children = children_of(w, s, action);
    bound_side(w, s, children.left, action, 0);
    if (w.context.poller.stopped()) return;
    bound_side(w, s, children.right, action, 1);
    if (w.context.poller.stopped()) return;
    action.bound = value_.sum(value_.least_price(s.node), *action.side[0].bound,
                              *action.side[1].bound);
    action.rank = value_.sort_key(*action.bound);
  }
  std::stable_sort(actions.begin(), actions.end(),
                   [](const Action& a, const Action& b) { return a.rank < b.rank; });
}

template <ValueModel V>
void DynamicProgram<V>::bound_side(Worker& w, const State& s, const NodeView& child,
                                   Action& action, int i) {
  typename Action::Side& side = action.side[i];
  const Front leaf = value_.leaf(child);
  side.bound = value_.bound_of(leaf);
  if (value_.useless(value_.after_split(child, 1), leaf)) return;
  FeatureList features = s.features;
  side.greedy = w.context.find(child, features, true);
  if (w.context.poller.stopped()) return;
  side.searched = true;
  if (side.greedy.found)
    side.bound =
        value_.either(*side.bound, value_.after_stump(child, side.greedy.error_bound));
}

// Keeps the actions whose children look best two levels ahead.
template <ValueModel V>
void DynamicProgram<V>::select_actions(Worker& w, const State& s,
                                       std::vector<Action>& actions) {
  const std::size_t n_followed = breadth_.followed_at(s.depth);
  if (actions.size() <= n_followed) return;
  std::vector<Split> splits;
  for (const Action& action : actions) splits.push_back(action.split);
  const auto values =
      breadth_.lookahead->estimate(w.context, s.node, s.features, splits);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  order.resize(n_followed);
  std::vector<Action> kept;
  for (const std::size_t i : order)
    if (std::isfinite(values[i])) kept.push_back(std::move(actions[i]));
  actions = std::move(kept);
}

}  // namespace dpdtree
