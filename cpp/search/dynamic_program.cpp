#include "search/dynamic_program.hpp"

#include <utility>

#include "search/dynamic_program_action.hpp"
#include "search/dynamic_program_shortcuts.hpp"
#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kMemoBytes = 64u << 20;
constexpr u32 kWatchedDepths = 3;  // below, states take too little time to be counted

}  // namespace

template <ValueModel V>
DynamicProgram<V>::DynamicProgram(const Search& search, const V& value,
                                  const Generator& generator, const Breadth& breadth,
                                  Memo<Result>* shared)
    : search_(search),
      value_(value),
      generator_(generator),
      breadth_(breadth),
      memo_(shared) {
  if (!search.params.use_state_memo)
    memo_ = nullptr;
  else if (memo_ == nullptr)
    memo_ = &own_memo_.emplace(kMemoBytes);
}

template <ValueModel V>
typename V::Front DynamicProgram<V>::solve() {
  const Budget unlimited = V::unlimited();
  search_.stop.stage.begin(stage_name(), StagePart::kWhole);
  StagePart whole(search_.stop.stage, StagePart::kWhole);
  return solve(*search_.workers[0], {search_.root, search_.features, search_.depth,
                                     unlimited, nullptr, &whole})
      .front;
}

// Algorithm 1.
template <ValueModel V>
auto DynamicProgram<V>::solve(Worker& w, State s) -> Result {
  if (auto known = shortcut(w, s)) return *std::move(known);
  const bool shared = is_root(s) && search_.pool.size() > 1;
  Best best{{value_.leaf(s.node)}, shared, {}};       // stop here, or …
  std::vector<Action> actions = this->actions(w, s);  // … φ(s)
  const u64 units = s.part != nullptr ? s.part->hand_on(actions.size()) : 0;
  each(shared, w, actions.size(), [&](std::size_t i, Worker& worker) {
    follow(worker, s, actions[i], best, units);
  });
  if (is_root(s)) combine_in_order(s, actions, best.value.front);
  // Nothing within the budget: what was found may not be the best, so say only that.
  best.value.pruned = exceeds(value_.bound_of(best.value.front), s.budget);
  if (!V::kPartial) best.value.complete = true;
  return remember(w, s, std::move(best.value));
}

// One action: its two sides are solved, the smaller one first, since its value leaves
// the larger one a tighter budget; then the backup.
template <ValueModel V>
void DynamicProgram<V>::follow(Worker& w, const State& s, Action& action, Best& best,
                               u64 units) {
  StagePart part(search_.stop.stage, units);
  if (w.context.poller.stopped()) return;
  const bool keep_all = keeps_roots(s);
  const Budget budget = [&] {
    const auto lock = best.lock();
    return keep_all ? s.budget : value_.lower_of(s.budget, best.value.front);
  }();
  if (action.bound && exceeds(*action.bound, budget)) {
    ++w.context.counters.pruned;
    const auto lock = best.lock();
    best.value.complete &= !V::limited(s.budget);
    return;
  }
  const Children children = children_of(w, s, action);
  if (!allowed(s, children, action.split)) return;
  action.price = value_.price(w.context, s.node, action.split);
  const int first = children.left.n() <= children.right.n() ? 0 : 1;
  const u64 half = part.hand_on(2);
  each(best.shared, w, 2, [&](std::size_t i, Worker& worker) {
    const int side = i == 0 ? first : 1 - first;
    solve_side(worker, s, action, side, children, budget, best, half);
  });
  if (!action.solved()) return;
  const auto lock = best.lock();
  value_.backup(best.value.front, action.split, action.price,
                action.side[0].known.front, action.side[1].known.front);
}

template <ValueModel V>
void DynamicProgram<V>::solve_side(Worker& w, const State& s, Action& action, int i,
                                   const Children& children, const Budget& budget,
                                   Best& best, u64 units) {
  StagePart part(search_.stop.stage, units);
  typename Action::Side& side = action.side[i];
  {
    const auto lock = best.lock();
    if (action.side[1 - i].given_up) return;
  }
  const Bound other = least_of_other(action, i, children, levels_of(s) - 1, best);
  const Budget own = value_.for_side(budget, action.price, other);
  Result known =
      solve(w, {i == 0 ? children.left : children.right, s.features, s.depth + 1, own,
                side.searched ? &side.greedy : nullptr,
                s.depth + 1 < search_.depth + kWatchedDepths ? &part : nullptr});
  const auto lock = best.lock();
  best.value.exact &= known.exact;
  if (V::limited(s.budget)) best.value.complete &= known.complete && !known.pruned;
  side.given_up = known.pruned;
  side.solved = !known.pruned;
  side.known = std::move(known);
}

// What the other side costs if it is solved, or what it costs at least.
template <ValueModel V>
typename V::Bound DynamicProgram<V>::least_of_other(const Action& action, int i,
                                                    const Children& children,
                                                    u32 levels, Best& best) const {
  const typename Action::Side& other = action.side[1 - i];
  {
    const auto lock = best.lock();
    if (other.solved) return value_.bound_of(other.known.front);
  }
  if (other.bound) return *other.bound;
  return least(i == 0 ? children.right : children.left, levels);
}

// Threads end in any order. Pruning may have skipped other actions than one thread
// would, but never one that could be the best or tie with it.
template <ValueModel V>
void DynamicProgram<V>::combine_in_order(const State& s,
                                         const std::vector<Action>& actions,
                                         Front& best) {
  best = value_.leaf(s.node);
  for (const Action& a : actions) {
    if (!a.solved()) continue;
    const Front &left = a.side[0].known.front, &right = a.side[1].known.front;
    value_.backup(best, a.split, a.price, left, right);
    if (!keeps_roots(s)) continue;
    root_plans_.push_back(value_.leaf(s.node));
    value_.own_plans(root_plans_.back(), a.split, a.price, left, right);
  }
}

// f(0) … f(n-1), by this worker or, if the work is shared, by all of them.
template <ValueModel V>
template <class F>
void DynamicProgram<V>::each(bool shared, Worker& w, std::size_t n, const F& f) {
  if (shared)
    return search_.pool.parallel_for(
        n, [&](std::size_t i, unsigned worker) { f(i, *search_.workers[worker]); });
  for (std::size_t i = 0; i < n; ++i) f(i, w);
}

template class DynamicProgram<ScalarValue>;
template class DynamicProgram<AlphaHull>;
template class DynamicProgram<LeafBudgetFront>;

}  // namespace dpdtree
