// The actions of a state: which splits are tried, in which order, and which are left
// out unseen. A part of solver.cpp, and included there only.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "search/candidates/merge.hpp"
#include "search/dynamic_program.hpp"
#include "split/constrained_scan.hpp"

namespace dpdtree {

// The state as a greedy tree sees it.
inline NodeView strict(const NodeView& s) {
  NodeView view = s;
  view.constraints = made_strict(s.constraints);
  return view;
}

// Every split of a monotone feature once for each middle. Those for 0-1 losses cost
// little, since one side has one class left; others are tried above the last level
// only.
inline std::vector<Split> with_middles(const NodeView& s, u32 levels,
                                       const std::vector<Split>& splits) {
  const ConstraintRules& rules = *s.constraints->rules;
  const int most =
      rules.loss == Criterion::zero_one || levels <= 2 ? rules.n_middles() : 1;
  std::vector<Split> out;
  for (Split split : splits) {
    const int n = rules.direction(split.feature) != 0 ? most : 1;
    for (int choice = 0; choice < n; ++choice) {
      split.middle_choice = static_cast<u8>(choice);
      out.push_back(split);
    }
  }
  return out;
}

// A candidate split of a state, with what is known of its two sides.
template <class ValueModel>
struct Solver<ValueModel>::Action {
  Split split;
  typename ValueModel::Price price{};  // of the split, once its rows are known
  std::optional<Bound> bound{};        // the value of this action is at least that
  double rank = 0;                     // by which actions with bounds are sorted
  struct Side {
    std::optional<Bound> bound{};
    bool searched = false;
    FoundSplit greedy;
    State state;
    bool solved = false;
    bool given_up = false;  // it exceeds the budget
  };
  Side side[2];
};

// True if an earlier choice leads to the same middle of a monotone feature.
template <class ValueModel>
bool Solver<ValueModel>::repeats_middle(const NodeView& s, const Children& children,
                                        const Split& split) const {
  for (int choice = 0; choice < split.middle_choice; ++choice)
    if (middle_value(s, children.left, children.right, split.feature, choice) ==
        split.middle)
      return true;
  return false;
}

// With two levels left, one scan per child bounds every action from below. Solving in
// the order of the bounds finds a good plan first and skips most other actions.
template <class ValueModel>
void Solver<ValueModel>::bound_actions(Worker& w, const NodeView& s,
                                       const FeatureList& features, u32 depth,
                                       std::vector<Action>& actions) {
  for (Action& action : actions) {
    const Children children = children_of(w, s, depth, action);
    const NodeView* views[2] = {&children.left, &children.right};
    for (int i = 0; i < 2; ++i) {
      const NodeView& child = *views[i];
      typename Action::Side& side = action.side[i];
      const Front leaf = kind_.leaf(child);
      side.bound = kind_.bound_of(leaf);
      if (kind_.useless(kind_.after_split(child, 1), leaf)) continue;
      FeatureList child_features = features;
      side.greedy = w.context.find(child, child_features, true);
      if (w.context.poller.stopped()) return;
      side.searched = true;
      if (!side.greedy.found) continue;
      side.bound =
          kind_.either(*side.bound, kind_.after_stump(child, side.greedy.error_bound));
    }
    action.bound =
        kind_.sum(kind_.least_price(s), *action.side[0].bound, *action.side[1].bound);
    action.rank = kind_.sort_key(*action.bound);
  }
  std::stable_sort(actions.begin(), actions.end(),
                   [](const Action& a, const Action& b) { return a.rank < b.rank; });
}

// Keeps the actions whose children look best two levels ahead: first a rough look at
// all, then a closer one at the better half.
template <class ValueModel>
void Solver<ValueModel>::select_actions(Worker& w, const NodeView& s,
                                        const FeatureList& features,
                                        std::size_t n_followed,
                                        std::vector<Action>& actions) {
  if (actions.size() <= n_followed) return;
  const auto keep = [&](std::size_t n, double precision) {
    std::vector<Split> splits;
    for (const Action& action : actions) splits.push_back(action.split);
    const auto values =
        params_.lookahead->estimate(w.context, s, features, splits, precision);
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return values[a] < values[b];
    });
    std::vector<Action> kept;
    for (std::size_t i = 0; i < std::min(n, order.size()); ++i)
      if (std::isfinite(values[order[i]])) kept.push_back(std::move(actions[order[i]]));
    actions = std::move(kept);
  };
  keep(std::max(actions.size() / 2, n_followed), 1);
  if (actions.size() > n_followed) keep(n_followed, 2.5);
}

// Those of the generator, and what a greedy tree would take if that is not the first.
template <class ValueModel>
std::vector<Split> Solver<ValueModel>::candidates(Worker& w, const NodeView& s,
                                                  FeatureList& features, u32 depth,
                                                  const FoundSplit* greedy) {
  std::vector<Split> splits =
      generator_.candidates(w.context, s, features, params_.candidates_at(depth),
                            params_.max_depth - depth, greedy);
  if (!ranked_by_net(s)) return splits;
  const FoundSplit best = w.context.find(strict(s), features, false);
  if (best.found) add_new(splits, best.split);
  return splits;
}

template <class ValueModel>
auto Solver<ValueModel>::make_actions(Worker& w, const NodeView& s,
                                      FeatureList& features, u32 depth,
                                      const FoundSplit* greedy) -> std::vector<Action> {
  const u32 levels = params_.max_depth - depth;
  std::vector<Split> splits;
  if (params_.lookahead != nullptr && levels == 2) {
    splits = params_.lookahead->propose(w.context, s, features).roots;
  } else {
    splits = candidates(w, s, features, depth, greedy);
    if (s.constraints) splits = with_middles(s, levels, splits);
  }
  std::vector<Action> actions(splits.size());
  for (std::size_t i = 0; i < splits.size(); ++i) actions[i].split = splits[i];
  w.context.counters.candidates += actions.size();
  const bool worth_bounds = params_.prune && levels == 2 &&
                            kind_.cost().bounds_errors() && actions.size() > 1 &&
                            !params_.exhaustive_last &&
                            params_.candidates_at(depth + 1) > 1;
  if (worth_bounds) bound_actions(w, s, features, depth, actions);
  if (params_.lookahead != nullptr && levels >= 3)
    select_actions(w, s, features, params_.followed_at(depth), actions);
  return actions;
}

}  // namespace dpdtree
