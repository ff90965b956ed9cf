#include "search/dynamic_program.hpp"

#include <algorithm>
#include <cmath>

#include "search/candidates/greedy.hpp"
#include "search/dynamic_program_actions.hpp"
#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"
#include "split/constrained_scan.hpp"

namespace dpdtree {

void Worker::Level::make_room(std::size_t n_rows, std::size_t stats_width) {
  if (rows.size() < n_rows) rows.resize(n_rows);
  stats.resize(2 * stats_width);
}

Worker::Level& Worker::level(u32 depth, std::size_t n_rows, std::size_t stats_width) {
  while (levels.size() <= depth) levels.emplace_back();
  levels[depth].make_room(n_rows, stats_width);
  return levels[depth];
}

template <class ValueModel>
Solver<ValueModel>::Solver(const SolverParams& params, const ValueModel& kind,
                           const Generator& generator, Memo* memo,
                           std::vector<std::unique_ptr<Worker>>& workers,
                           ThreadPool& pool)
    : params_(params),
      kind_(kind),
      generator_(generator),
      memo_(memo),
      workers_(workers),
      pool_(pool) {}

template <class ValueModel>
typename ValueModel::Front Solver<ValueModel>::solve(const NodeView& root,
                                                     const FeatureList& features) {
  FeatureList root_features = features;
  const bool tasks = pool_.size() > 1 && params_.max_depth >= 2 &&
                     !params_.greedy_from(0) && root.n() > 0;
  if (tasks) return solve_root(root, root_features);
  return solve_state(*workers_[0], root, root_features, 0, ValueModel::unlimited(),
                     nullptr)
      .front;
}

// Of any tree of at most that many levels.
template <class ValueModel>
typename ValueModel::Bound Solver<ValueModel>::least(const NodeView& s,
                                                     u32 levels) const {
  const Bound leaf = kind_.bound_of(kind_.leaf(s));
  return levels == 0 ? leaf : kind_.either(leaf, kind_.after_split(s, levels));
}

template <class ValueModel>
StateValue<ValueModel> Solver<ValueModel>::solve_state(Worker& w, const NodeView& s,
                                                       FeatureList features, u32 depth,
                                                       const Budget& budget,
                                                       const FoundSplit* greedy) {
  ++w.context.counters.states;
  State leaf{kind_.leaf(s)};
  const u32 levels = params_.max_depth - depth;
  if (levels == 0) return leaf;
  if (w.context.poller.stopped()) {
    leaf.exact = false;
    return leaf;
  }
  // A split that cannot beat the leaf is not worth a search (ties go to the leaf).
  const Bound after_split = kind_.after_split(s, levels);
  if (kind_.useless(after_split, leaf.front)) return leaf;
  if (exceeds(kind_.either(kind_.bound_of(leaf.front), after_split), budget)) {
    ++w.context.counters.pruned;
    leaf.pruned = true;
    return leaf;
  }
  if (params_.greedy_from(depth)) return solve_greedy(w, s, features, depth, greedy);

  const Hash128 key = Memo::key(s.key(), depth);
  if (State known; memo_ != nullptr && memo_->lookup(key, known)) {
    ++w.context.counters.state_memo_hits;
    return known;
  }
  State best = levels > 1 ? solve_actions(w, s, features, depth, budget, greedy)
               : params_.exhaustive_last
                   ? solve_exhaustive_level(w, s, features)
                   : solve_last_level(w, s, features, depth, budget, greedy);
  if (w.context.poller.stopped()) best.exact = false;
  if (memo_ != nullptr && best.exact && !best.pruned && best.complete)
    memo_->store(key, best, ValueModel::bytes(best.front));
  return best;
}

template <class ValueModel>
StateValue<ValueModel> Solver<ValueModel>::solve_greedy(Worker& w, const NodeView& s,
                                                        const FeatureList& features,
                                                        u32 depth,
                                                        const FoundSplit* greedy) {
  GreedyLimits limits;
  limits.max_depth = params_.max_depth - depth;
  const auto grown = [&](const NodeView& root, const FoundSplit* best) {
    GreedyGrower grower(w.context);
    grower.grow(root, features, limits, best);
    return prune_greedy(w.context, grower, kind_);
  };
  State out{grown(s, greedy)};
  if (ranked_by_net(s)) kind_.add(out.front, grown(strict(s), nullptr));
  out.exact = !w.context.poller.stopped();
  return out;
}

// Splits of the look-ahead come from bins and need not respect the limits.
template <class ValueModel>
bool Solver<ValueModel>::within_limits(const NodeView& s,
                                       const Children& children) const {
  const SplitLimits& limits = workers_[0]->context.limits;
  const u32 n = std::min(children.left.n(), children.right.n());
  return s.n() >= limits.min_samples_split && n > 0 && n >= limits.min_samples_leaf &&
         std::min(children.left.weight, children.right.weight) >=
             limits.min_weight_leaf;
}

// True if the split keeps min_impurity_decrease at this state, not only in the node of
// the small CART where it was found.
template <class ValueModel>
bool Solver<ValueModel>::allowed(const NodeView& s, const Children& children) const {
  const double least = workers_[0]->context.limits.min_decrease;
  if (least <= 0) return true;
  const Cost& cost = kind_.cost();
  const double decrease =
      cost.impurity(s) - cost.impurity(children.left) - cost.impurity(children.right);
  return decrease + 1e-12 * std::max(1.0, least) >= least;
}

// Rows are moved only if what a leaf costs depends on them.
template <class ValueModel>
Children Solver<ValueModel>::leaves_of(Worker& w, const NodeView& s,
                                       Split& split) const {
  const Problem& problem = w.context.problem;
  const std::size_t width = problem.targets.stats_width();
  const bool move = kind_.cost().looks_at_rows();
  w.leaves.make_room(move ? s.rows.size() : 0, width);
  double* stats = w.leaves.stats.data();
  if (!move) return split_stats(problem, s, split, stats, stats + width);
  return split_node(problem, s, split, w.leaves.rows.data(), w.context.spare_rows,
                    stats, stats + width);
}

// One scan finds the best of all splits into two leaves.
template <class ValueModel>
StateValue<ValueModel> Solver<ValueModel>::solve_exhaustive_level(
    Worker& w, const NodeView& s, FeatureList& features) {
  State best{kind_.leaf(s)};
  FoundSplit found = w.context.find(s, features, false, SearchTarget::loss);
  if (!found.found) return best;
  ++w.context.counters.candidates;
  const Children children = leaves_of(w, s, found.split);
  kind_.backup(best.front, found.split, kind_.price(w.context, s, found.split),
               kind_.leaf(children.left), kind_.leaf(children.right));
  return best;
}

// Both children become leaves: only their statistics matter.
template <class ValueModel>
StateValue<ValueModel> Solver<ValueModel>::solve_last_level(
    Worker& w, const NodeView& s, FeatureList& features, u32 depth,
    const Budget& budget, const FoundSplit* greedy) {
  const Cost& cost = kind_.cost();
  const bool bounded = params_.prune && cost.bounds_errors();
  State best{kind_.leaf(s)};
  const FoundSplit found =
      greedy != nullptr ? *greedy : w.context.find(s, features, bounded);
  if (!found.found) return best;
  if (bounded) {
    const Bound after_split = kind_.after_stump(s, found.error_bound);
    if (kind_.useless(after_split, best.front)) return best;
    if (exceeds(kind_.either(kind_.bound_of(best.front), after_split), budget)) {
      ++w.context.counters.pruned;
      best.pruned = true;
      return best;
    }
  }
  std::vector<Split> splits{found.split};
  if (!same_minimiser(cost.criterion, cost.loss) || cost.is_mdl())
    splits = candidates(w, s, features, depth, &found);
  for (Split& split : splits) {
    ++w.context.counters.candidates;
    const Children children = leaves_of(w, s, split);
    if (!allowed(s, children)) continue;
    kind_.backup(best.front, split, kind_.price(w.context, s, split),
                 kind_.leaf(children.left), kind_.leaf(children.right));
  }
  return best;
}

template <class ValueModel>
Children Solver<ValueModel>::children_of(Worker& w, const NodeView& s, u32 depth,
                                         Action& action) {
  const std::size_t width = w.context.problem.targets.stats_width();
  auto& level = w.level(depth, s.rows.size(), width);
  return split_node(w.context.problem, s, action.split, level.rows.data(),
                    w.context.spare_rows, level.stats.data(),
                    level.stats.data() + width);
}

template <class ValueModel>
typename ValueModel::Bound Solver<ValueModel>::least_of_side(const Action& action,
                                                             int i, const NodeView& s,
                                                             u32 levels) const {
  return action.side[i].bound ? *action.side[i].bound : least(s, levels);
}

// Solves the smaller child first; its value leaves the larger one a tighter budget.
template <class ValueModel>
void Solver<ValueModel>::try_action(Worker& w, const NodeView& s,
                                    const FeatureList& features, u32 depth,
                                    const Budget& inherited, Action& action,
                                    State& best) {
  // The plans of all roots are wanted with a look-ahead, whatever the best of them.
  const bool keep_all = params_.lookahead != nullptr && depth == 0;
  const Budget budget = keep_all ? inherited : kind_.lower_of(inherited, best.front);
  const auto give_up = [&] {
    if (ValueModel::limited(inherited)) best.complete = false;
  };
  if (action.bound && exceeds(*action.bound, budget)) {
    ++w.context.counters.pruned;
    return give_up();
  }
  const Children children = children_of(w, s, depth, action);
  if (!allowed(s, children) || !within_limits(s, children) ||
      repeats_middle(s, children, action.split))
    return;
  action.price = kind_.price(w.context, s, action.split);
  const u32 levels = params_.max_depth - depth - 1;
  const NodeView* views[2] = {&children.left, &children.right};
  const int first = children.left.n() <= children.right.n() ? 0 : 1;
  const int second = 1 - first;
  const auto solve_child = [&](int i, const Bound& other) {
    typename Action::Side& side = action.side[i];
    side.state = solve_state(w, *views[i], features, depth + 1,
                             kind_.for_side(budget, action.price, other),
                             side.searched ? &side.greedy : nullptr);
    best.exact &= side.state.exact;
    if (!side.state.complete) give_up();
    return !side.state.pruned;
  };
  if (!solve_child(first, least_of_side(action, second, *views[second], levels)))
    return give_up();
  if (!solve_child(second, kind_.bound_of(action.side[first].state.front)))
    return give_up();
  if (depth == 0) keep_root_plan(action, s);
  kind_.backup(best.front, action.split, action.price, action.side[0].state.front,
               action.side[1].state.front);
}

template <class ValueModel>
void Solver<ValueModel>::keep_root_plan(const Action& action, const NodeView& s) {
  if (params_.lookahead == nullptr) return;
  Front plans = kind_.leaf(s);
  kind_.join_roots(plans, action.split, action.price, action.side[0].state.front,
                   action.side[1].state.front);
  root_plans_.push_back(std::move(plans));
}

template <class ValueModel>
StateValue<ValueModel> Solver<ValueModel>::solve_actions(Worker& w, const NodeView& s,
                                                         FeatureList& features,
                                                         u32 depth,
                                                         const Budget& budget,
                                                         const FoundSplit* greedy) {
  State best{kind_.leaf(s)};
  for (Action& action : make_actions(w, s, features, depth, greedy)) {
    if (w.context.poller.stopped()) break;
    try_action(w, s, features, depth, budget, action, best);
  }
  // Nothing within the budget: what was found may not be the best, so say only that.
  best.pruned = exceeds(kind_.bound_of(best.front), budget);
  if (!ValueModel::kPartial) best.complete = true;
  return best;
}

// The best plans of the root so far, for pruning in all workers.
template <class ValueModel>
struct Solver<ValueModel>::SharedBest {
  Front front;
  std::mutex mutex;
};

template <class ValueModel>
void Solver<ValueModel>::solve_side(Worker& w, const NodeView& s,
                                    const FeatureList& features, Action& action, int i,
                                    const Bound& others_least, const Budget& budget,
                                    SharedBest& shared) {
  typename Action::Side& side = action.side[i];
  const typename Action::Side& other = action.side[1 - i];
  Bound others = others_least;
  {
    std::lock_guard lock(shared.mutex);
    if (other.given_up) return;
    if (other.solved) others = kind_.bound_of(other.state.front);
  }
  State state =
      solve_state(w, s, features, 1, kind_.for_side(budget, action.price, others),
                  side.searched ? &side.greedy : nullptr);
  std::lock_guard lock(shared.mutex);
  side.given_up = state.pruned;
  if (state.pruned) return;
  side.state = std::move(state);
  side.solved = true;
  if (other.solved)
    kind_.backup(shared.front, action.split, action.price, action.side[0].state.front,
                 action.side[1].state.front);
}

// The smaller child first, as in try_action, or both at once if a thread is free.
template <class ValueModel>
void Solver<ValueModel>::solve_sides(Worker& w, const NodeView& s,
                                     const FeatureList& features, Action& action,
                                     SharedBest& shared) {
  const auto shared_budget = [&] {
    std::lock_guard lock(shared.mutex);
    return params_.lookahead != nullptr
               ? ValueModel::unlimited()
               : kind_.lower_of(ValueModel::unlimited(), shared.front);
  };
  const Budget budget = shared_budget();
  if (action.bound && exceeds(*action.bound, budget)) {
    ++w.context.counters.pruned;
    return;
  }
  const Children children = children_of(w, s, 0, action);
  if (!allowed(s, children) || !within_limits(s, children) ||
      repeats_middle(s, children, action.split))
    return;
  action.price = kind_.price(w.context, s, action.split);
  const NodeView* views[2] = {&children.left, &children.right};
  const int first = children.left.n() <= children.right.n() ? 0 : 1;
  pool_.parallel_for(2, [&](std::size_t task, unsigned worker) {
    const int i = task == 0 ? first : 1 - first;
    const Bound others =
        least_of_side(action, 1 - i, *views[1 - i], params_.max_depth - 1);
    solve_side(*workers_[worker], *views[i], features, action, i, others, budget,
               shared);
  });
}

// As solve_actions, with one task per action. Pruning may skip other actions than with
// one thread, but never one that could be the best or tie with it.
template <class ValueModel>
typename ValueModel::Front Solver<ValueModel>::solve_root(const NodeView& s,
                                                          FeatureList& features) {
  Worker& w = *workers_[0];
  ++w.context.counters.states;
  Front best = kind_.leaf(s);
  if (kind_.useless(kind_.after_split(s, params_.max_depth), best)) return best;
  std::vector<Action> actions = make_actions(w, s, features, 0, nullptr);

  SharedBest shared{best, {}};
  pool_.parallel_for(actions.size(), [&](std::size_t task, unsigned worker) {
    solve_sides(*workers_[worker], s, features, actions[task], shared);
  });
  for (const Action& action : actions) {
    if (!action.side[0].solved || !action.side[1].solved) continue;
    keep_root_plan(action, s);
    kind_.backup(best, action.split, action.price, action.side[0].state.front,
                 action.side[1].state.front);
  }
  return best;
}

template class Solver<ScalarValue>;
template class Solver<AlphaHull>;
template class Solver<LeafBudgetFront>;

}  // namespace dpdtree
