#include "solve/solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "generator/greedy.hpp"

namespace dpdtree {

// A candidate split of a state, with what is known of its two sides.
struct Solver::Action {
  Split split;
  double bound = 0;  // the value of this action is at least that
  struct Side {
    double bound = 0;
    bool searched = false;
    FoundSplit greedy;
    Solution solution;
    bool solved = false;
  };
  Side side[2];
};

Worker::Level& Worker::level(u32 depth, std::size_t n_rows, std::size_t stats_width) {
  while (levels.size() <= depth) levels.emplace_back();
  Level& level = levels[depth];
  if (level.rows.size() < n_rows) level.rows.resize(n_rows);
  level.stats.resize(2 * stats_width);
  return level;
}

Solver::Solver(const SolverParams& params, const Generator& generator, StateMemo* memo,
               std::vector<std::unique_ptr<Worker>>& workers, ThreadPool& pool)
    : params_(params),
      generator_(generator),
      memo_(memo),
      workers_(workers),
      pool_(pool) {}

Solution Solver::solve(const NodeView& root, const FeatureList& features) {
  const Cost& cost = params_.cost;
  const double scale = mass(cost.loss, root.stats) + cost.penalty(cost.total_weight);
  order_.tolerance = 1e-12 * scale;
  margin_ = 1e-9 * scale;
  FeatureList root_features = features;
  const bool tasks = pool_.size() > 1 && params_.max_depth >= 2 &&
                     !params_.greedy_from(0) && root.n() > 0;
  if (tasks) return solve_root(root, root_features);
  return solve_state(*workers_[0], root, root_features, 0, kNoBudget, nullptr);
}

Solution Solver::solve_state(Worker& w, const NodeView& s, FeatureList features,
                             u32 depth, double budget, const FoundSplit* greedy) {
  const Cost& cost = params_.cost;
  ++w.context.counters.states;
  Solution leaf;
  leaf.value = cost.leaf(s.stats);
  const u32 levels = params_.max_depth - depth;
  if (levels == 0) return leaf;
  if (w.context.poller.stopped()) {
    leaf.exact = false;
    return leaf;
  }
  // A split that cannot beat the leaf is not worth a search (ties go to the leaf).
  const double after_split = cost.least_after_split(s, levels);
  if (after_split >= leaf.value.objective - order_.tolerance) return leaf;
  if (exceeds(after_split, budget)) {
    ++w.context.counters.pruned;
    leaf.pruned = true;
    return leaf;
  }
  if (params_.greedy_from(depth)) return solve_greedy(w, s, features, depth, greedy);

  const Hash128 key = StateMemo::key(s.hash, depth);
  if (Solution known; memo_ != nullptr && memo_->lookup(key, known)) {
    ++w.context.counters.state_memo_hits;
    return known;
  }
  Solution best = levels > 1 ? solve_actions(w, s, features, depth, budget, greedy)
                  : params_.lookahead != nullptr
                      ? solve_exhaustive_level(w, s, features)
                      : solve_last_level(w, s, features, depth, budget, greedy);
  if (w.context.poller.stopped()) best.exact = false;
  if (memo_ != nullptr && best.exact && !best.pruned) memo_->store(key, best);
  return best;
}

Solution Solver::solve_greedy(Worker& w, const NodeView& s, const FeatureList& features,
                              u32 depth, const FoundSplit* greedy) {
  GreedyLimits limits;
  limits.max_depth = params_.max_depth - depth;
  GreedyGrower grower(w.context);
  grower.grow(s, features, limits, greedy);
  Solution out = plan_of_greedy(grower, params_.cost, true, order_);
  out.exact = !w.context.poller.stopped();
  return out;
}

void Solver::keep_better(Solution& best, const Split& split, const Value& value,
                         const Plan& left, const Plan& right) const {
  const int c = order_.compare(value, best.value);
  const bool split_already = best.plan.front().right > 0;
  if (c > 0 || (c == 0 && !(split_already && earlier(split, best.plan.front().split))))
    return;
  best.value = value;
  best.plan = join(split, left, right);
}

// Splits of the look-ahead come from bins and need not respect the limits.
bool Solver::within_limits(const Children& children) const {
  const SplitLimits& limits = workers_[0]->context.limits;
  const u32 n = std::min(children.left.n(), children.right.n());
  return n > 0 && n >= limits.min_samples_leaf &&
         std::min(children.left.weight, children.right.weight) >=
             limits.min_weight_leaf;
}

// True if the split keeps min_impurity_decrease at this state, not only in the node of
// the small CART where it was found.
bool Solver::allowed(const NodeView& s, const Children& children) const {
  const double least = workers_[0]->context.limits.min_decrease;
  if (least <= 0) return true;
  const Measure criterion = params_.cost.criterion;
  const double decrease = mass(criterion, s.stats) -
                          mass(criterion, children.left.stats) -
                          mass(criterion, children.right.stats);
  return decrease + 1e-12 * std::max(1.0, least) >= least;
}

// One scan finds the best of all splits into two leaves.
Solution Solver::solve_exhaustive_level(Worker& w, const NodeView& s,
                                        FeatureList& features) {
  const Cost& cost = params_.cost;
  Solution best;
  best.value = cost.leaf(s.stats);
  FoundSplit found = w.context.find(s, features, false, Aim::loss);
  if (!found.found) return best;
  ++w.context.counters.candidates;
  const std::size_t width = s.stats.size();
  std::vector<double> stats(2 * width);
  split_stats(w.context.problem, s, found.split, stats.data(), stats.data() + width);
  const Value value = combine(cost.penalty(s.weight), cost.leaf({stats.data(), width}),
                              cost.leaf({stats.data() + width, width}));
  const Plan leaf{PlanNode{}};
  keep_better(best, found.split, value, leaf, leaf);
  return best;
}

// Both children become leaves: only their statistics matter.
Solution Solver::solve_last_level(Worker& w, const NodeView& s, FeatureList& features,
                                  u32 depth, double budget, const FoundSplit* greedy) {
  const Cost& cost = params_.cost;
  const bool bounded = params_.prune && cost.loss == Measure::zero_one;
  Solution best;
  best.value = cost.leaf(s.stats);
  const FoundSplit found =
      greedy != nullptr ? *greedy : w.context.find(s, features, bounded);
  if (!found.found) return best;
  const double penalty = cost.penalty(s.weight);
  if (bounded) {
    const double after_split = penalty + found.error_bound;
    if (after_split >= best.value.objective - order_.tolerance) return best;
    if (exceeds(after_split, budget)) {
      ++w.context.counters.pruned;
      best.pruned = true;
      return best;
    }
  }
  std::vector<Split> splits{found.split};
  if (!same_minimiser(cost.criterion, cost.loss))
    splits = generator_.candidates(w.context, s, features, params_.candidates_at(depth),
                                   1, &found);
  const Problem& problem = w.context.problem;
  const std::size_t width = problem.targets.stats_width();
  std::vector<double> stats(2 * width);
  const Plan leaf{PlanNode{}};
  for (Split& split : splits) {
    ++w.context.counters.candidates;
    split_stats(problem, s, split, stats.data(), stats.data() + width);
    Children children;
    children.left.stats = {stats.data(), width};
    children.right.stats = {stats.data() + width, width};
    if (!allowed(s, children)) continue;
    const Value value = combine(penalty, cost.leaf(children.left.stats),
                                cost.leaf(children.right.stats));
    keep_better(best, split, value, leaf, leaf);
  }
  return best;
}

Children Solver::children_of(Worker& w, const NodeView& s, u32 depth, Action& action) {
  const std::size_t width = w.context.problem.targets.stats_width();
  auto& level = w.level(depth, s.rows.size(), width);
  return split_node(w.context.problem, s, action.split, level.rows.data(),
                    w.context.spare_rows, level.stats.data(),
                    level.stats.data() + width);
}

// With two levels left, one scan per child bounds every action from below. Solving in
// the order of the bounds finds a good plan first and skips most other actions.
void Solver::bound_actions(Worker& w, const NodeView& s, const FeatureList& features,
                           u32 depth, std::vector<Action>& actions) {
  const Cost& cost = params_.cost;
  for (Action& action : actions) {
    const Children children = children_of(w, s, depth, action);
    const NodeView* views[2] = {&children.left, &children.right};
    for (int i = 0; i < 2; ++i) {
      const NodeView& child = *views[i];
      Action::Side& side = action.side[i];
      const double leaf = mass(cost.loss, child.stats);
      const double after_split = cost.least_after_split(child, 1);
      side.bound = leaf;
      if (after_split >= leaf) continue;
      FeatureList child_features = features;
      side.greedy = w.context.find(child, child_features, true);
      if (w.context.poller.stopped()) return;
      side.searched = true;
      if (!side.greedy.found) continue;
      side.bound = std::min(leaf, cost.penalty(child.weight) + side.greedy.error_bound);
    }
    action.bound = cost.penalty(s.weight) + action.side[0].bound + action.side[1].bound;
  }
  std::stable_sort(actions.begin(), actions.end(),
                   [](const Action& a, const Action& b) { return a.bound < b.bound; });
}

// Keeps the actions whose children look best two levels ahead: first a rough look at
// all, then a closer one at the better half.
void Solver::select_actions(Worker& w, const NodeView& s, const FeatureList& features,
                            std::vector<Action>& actions) {
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
  const std::size_t half =
      std::max<std::size_t>(actions.size() / 2, params_.n_looked_at);
  keep(half, 1);
  if (actions.size() > params_.n_looked_at) keep(params_.n_looked_at, 2.5);
}

std::vector<Solver::Action> Solver::make_actions(Worker& w, const NodeView& s,
                                                 FeatureList& features, u32 depth,
                                                 const FoundSplit* greedy) {
  const u32 levels = params_.max_depth - depth;
  std::vector<Split> splits;
  if (params_.lookahead != nullptr && levels == 2) {
    splits = params_.lookahead->look(w.context, s, features).roots;
  } else {
    u32 n = params_.candidates_at(depth);
    if (params_.lookahead != nullptr && depth == 0) n = std::max(n, params_.n_root);
    splits = generator_.candidates(w.context, s, features, n, levels, greedy);
  }
  std::vector<Action> actions(splits.size());
  for (std::size_t i = 0; i < splits.size(); ++i) actions[i].split = splits[i];
  w.context.counters.candidates += actions.size();
  const bool worth_bounds = params_.prune && levels == 2 &&
                            params_.cost.loss == Measure::zero_one &&
                            actions.size() > 1 && params_.lookahead == nullptr &&
                            params_.candidates_at(depth + 1) > 1;
  if (worth_bounds) bound_actions(w, s, features, depth, actions);
  if (params_.lookahead != nullptr && levels == 3 &&
      actions.size() > params_.n_looked_at)
    select_actions(w, s, features, actions);
  return actions;
}

// Solves the smaller child first; its value leaves the larger one a tighter budget.
void Solver::try_action(Worker& w, const NodeView& s, const FeatureList& features,
                        u32 depth, double budget, Action& action, Solution& best) {
  // The plans of all roots are wanted with a look-ahead, whatever the best of them.
  if (params_.lookahead == nullptr || depth > 0)
    budget = std::min(budget, best.value.objective);
  if (exceeds(action.bound, budget)) {
    ++w.context.counters.pruned;
    return;
  }
  const Children children = children_of(w, s, depth, action);
  if (!allowed(s, children) || !within_limits(children)) return;
  const Cost& cost = params_.cost;
  const u32 levels = params_.max_depth - depth - 1;
  const double penalty = cost.penalty(s.weight);
  const NodeView* views[2] = {&children.left, &children.right};
  const int first = children.left.n() <= children.right.n() ? 0 : 1;
  const int second = 1 - first;
  const auto solve_child = [&](int i, double others) {
    Action::Side& side = action.side[i];
    side.solution =
        solve_state(w, *views[i], features, depth + 1, budget - penalty - others,
                    side.searched ? &side.greedy : nullptr);
    best.exact &= side.solution.exact;
    return !side.solution.pruned;
  };
  const double least_second =
      std::max(cost.least(*views[second], levels), action.side[second].bound);
  if (!solve_child(first, least_second)) return;
  if (!solve_child(second, action.side[first].solution.value.objective)) return;
  const Solution &l = action.side[0].solution, &r = action.side[1].solution;
  const Value value = combine(penalty, l.value, r.value);
  if (depth == 0) keep_root_plan(action, value);
  keep_better(best, action.split, value, l.plan, r.plan);
}

void Solver::keep_root_plan(const Action& action, const Value& value) {
  if (params_.lookahead == nullptr) return;
  Solution plan;
  plan.value = value;
  plan.plan =
      join(action.split, action.side[0].solution.plan, action.side[1].solution.plan);
  root_plans_.push_back(std::move(plan));
}

Solution Solver::solve_actions(Worker& w, const NodeView& s, FeatureList& features,
                               u32 depth, double budget, const FoundSplit* greedy) {
  Solution best;
  best.value = params_.cost.leaf(s.stats);
  for (Action& action : make_actions(w, s, features, depth, greedy)) {
    if (w.context.poller.stopped()) break;
    try_action(w, s, features, depth, budget, action, best);
  }
  // Nothing within the budget: what was found may not be the best, so say only that.
  best.pruned = exceeds(best.value.objective, budget);
  return best;
}

// The best objective of the root so far, for pruning in all workers.
struct Solver::SharedBest {
  std::atomic<double> objective;
  std::mutex mutex;

  void lower(double candidate) {
    double now = objective.load();
    while (candidate < now && !objective.compare_exchange_weak(now, candidate)) {
    }
  }
};

void Solver::solve_side(Worker& w, const NodeView& s, const FeatureList& features,
                        Action& action, int i, SharedBest& shared) {
  if (exceeds(action.bound, shared.objective.load())) {
    ++w.context.counters.pruned;
    return;
  }
  const Cost& cost = params_.cost;
  Action copy;  // both sides may run at once, and settling the split writes to it
  copy.split = action.split;
  const Children children = children_of(w, s, 0, copy);
  if (!allowed(s, children) || !within_limits(children)) return;
  const NodeView& child = i == 0 ? children.left : children.right;
  const NodeView& other = i == 0 ? children.right : children.left;
  const double penalty = cost.penalty(s.weight);
  double others =
      std::max(cost.least(other, params_.max_depth - 1), action.side[1 - i].bound);
  {
    std::lock_guard lock(shared.mutex);
    const Action::Side& done = action.side[1 - i];
    if (done.solved) others = done.solution.value.objective;
  }
  const Action::Side& known = action.side[i];
  const double budget =
      params_.lookahead != nullptr ? kNoBudget : shared.objective.load();
  Solution solution = solve_state(w, child, features, 1, budget - penalty - others,
                                  known.searched ? &known.greedy : nullptr);
  std::lock_guard lock(shared.mutex);
  if (solution.pruned) return;
  action.side[i].solution = std::move(solution);
  action.side[i].solved = true;
  if (!action.side[1 - i].solved) return;
  action.split = copy.split;  // settled
  shared.lower(penalty + action.side[0].solution.value.objective +
               action.side[1].solution.value.objective);
}

// As solve_actions, with one task per (action, side). Pruning may skip other actions
// than with one thread, but never one that could be the best or tie with it.
Solution Solver::solve_root(const NodeView& s, FeatureList& features) {
  Worker& w = *workers_[0];
  ++w.context.counters.states;
  Solution best;
  best.value = params_.cost.leaf(s.stats);
  if (params_.cost.least_after_split(s, params_.max_depth) >=
      best.value.objective - order_.tolerance)
    return best;
  w.context.pool = &pool_;
  std::vector<Action> actions = make_actions(w, s, features, 0, nullptr);
  w.context.pool = nullptr;

  SharedBest shared{best.value.objective, {}};
  pool_.parallel_for(2 * actions.size(), [&](std::size_t task, unsigned worker) {
    solve_side(*workers_[worker], s, features, actions[task / 2],
               static_cast<int>(task % 2), shared);
  });
  best.exact = !w.context.poller.stopped();
  const double penalty = params_.cost.penalty(s.weight);
  for (const Action& action : actions) {
    if (!action.side[0].solved || !action.side[1].solved) continue;
    const Solution &l = action.side[0].solution, &r = action.side[1].solution;
    const Value value = combine(penalty, l.value, r.value);
    keep_root_plan(action, value);
    keep_better(best, action.split, value, l.plan, r.plan);
  }
  return best;
}

}  // namespace dpdtree
