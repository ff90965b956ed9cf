#include "search/strategies.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "search/extract.hpp"
#include "search/fewer_levels.hpp"
#include "search/fronts.hpp"
#include "search/greedy_tree.hpp"
#include "search/path.hpp"
#include "search/polish.hpp"

namespace dpdtree {
namespace {

constexpr u32 kLevelsOfStart = 5;  // where their number is not limited
constexpr u32 kLevelsSolved = 3;
constexpr int kRoundsOfSolving = 4;
constexpr u32 kLevelsInTurn = 6;  // more would take many times as long

OptimalResult unproven(Solution solution) {
  OptimalResult out;
  out.solution = std::move(solution);
  return out;
}

// All there is where nothing may be split, or the time is up.
OptimalResult leaf_of(const Search& s) {
  OptimalResult out = unproven({s.objective.leaf(s.root), nullptr});
  out.proven = s.strategy == Strategy::optimal && !s.stop.stopped();
  if (out.proven) out.lower_bound = out.solution.value.objective;
  return out;
}

OptimalResult counted(const Search& s, OptimalResult proof) {
  s.context().counters.states += proof.evaluations;
  return proof;
}

OptimalParams optimal_params(const Search& s, const Cost& objective) {
  OptimalParams p{objective, ScalarValue(objective, s.root).order(), s.max_depth()};
  p.use_pair_search = s.params.use_pair_search;
  return p;
}

template <ValueModel V>
Solution better(const V& value, const Solution& a, const Solution& b) {
  return value.order().compare(b.value, a.value) < 0 ? b : a;
}

// What a search that a clock may stop starts from: the greedy tree and its prunings.
template <ValueModel V>
typename V::Front first_trees(const Search& s, const V& value) {
  if (s.params.time_limit < 0) return value.leaf(s.root);
  return prune_greedy(s.context(), grow_greedy(s), value);
}

// Can yes/no questions be all that a tree is made of?
bool may_ask_pairs(const Search& s, const Cost& objective) {
  return s.max_depth() >= 2 && objective.bounds_errors() && !objective.is_mdl() &&
         !s.limits_leaves() && s.params.categorical.empty() && !s.root.constraints &&
         s.may_exhaust_levels() && !s.stop.stopped();
}

// The proven optimum, where few yes/no questions tell the rows apart: its search then
// takes less time than those for candidates. With a clock running a tree is made
// first. Splits with a price: only where a proof is sure, so that a path of all prices
// reaches it, too.
std::optional<OptimalResult> prove_by_pairs(const Search& s, const Cost& objective) {
  if (s.max_depth() > 3 || !may_ask_pairs(s, objective)) return std::nullopt;
  return solve_cheaply(s.context(), optimal_params(s, objective), s.root, s.features,
                       first_trees(s, ScalarValue(objective, s.root)),
                       s.depth == 0 && objective.alpha > 0);
}

// The same where there are more levels than can be proven: a tree close to the best.
std::optional<Solution> near_by_pairs(const Search& s, const Cost& objective) {
  if (s.max_depth() <= 3 || !may_ask_pairs(s, objective)) return std::nullopt;
  return solve_nearly(s.context(), optimal_params(s, objective), s.root, s.features,
                      {objective.leaf(s.root), nullptr});
}

// What these find at any price; nothing where they find nothing.
std::vector<Solution> all_by_pairs(const Search& s, const AlphaHull& value) {
  if (s.depth > 0 || !may_ask_pairs(s, value.cost())) return {};
  return solve_nearly_for_all_prices(s.context(), optimal_params(s, value.cost()),
                                     s.root, s.features);
}
std::vector<Solution> all_by_pairs(const Search& /*s*/, const LeafBudgetFront& /*v*/) {
  return {};
}

// What the look-ahead finds with the levels of the search: its front, then each of its
// trees refined for what it is best at. The last one is the largest.
template <ValueModel V>
std::vector<Solution> deep_trees(const Search& s, const V& value) {
  const DeepFront<V> deep = search_deep(s, value);
  const std::vector<Solution>& front = deep.front;
  std::vector<Solution> out = front;
  // First the end: it tells if polishing pays.
  const auto known = prove_by_pairs(s, value.cost());
  const Polished end = known ? Polished{known->solution} : largest_tree(s, value, deep);
  bool pays = end.pays;
  for (std::size_t i = front.size() - 1;
       !s.root.constraints && i-- > 1 && !s.stop.stopped();) {
    s.stop.stage.begin("refining the path", front.size(), front.size() - 1 - i);
    const Polished point = refined_point(s, value, front, i, pays);
    pays = point.pays;
    out.push_back(point.solution);
  }
  out.push_back(end.solution);
  return out;
}

// The same with fewer levels, too: whatever the price of complexity, deeper is never
// worse. For the end alone see `end_of_depths`.
template <ValueModel V>
std::vector<Solution> trees_of_depths(const Search& s, const V& value) {
  std::vector<Solution> own = deep_trees(s, value);
  if (!has_shallower(s)) return own;
  std::vector<Solution> out = trees_of_depths(s.shallower(), value);
  if (last_level_gains(s, value.cost(), own.back()) ||
      value.order().compare(out.back().value, own.back().value) >= 0)
    std::swap(out, own);
  out.insert(out.begin(), own.begin(), own.end());
  return out;
}

// The largest tree of the look-ahead, or that of a search with fewer levels where it
// is better.
template <ValueModel V>
Solution end_of_depths(const Search& s, const V& value) {
  const Solution own = largest_tree(s, value, search_deep(s, value)).solution;
  if (!has_shallower(s) || last_level_gains(s, value.cost(), own)) return own;
  return better(value, own, end_of_depths(s.shallower(), value));
}

// The look-ahead, then Algorithm 1, which takes as long as it is told to. The last tree
// is the largest.
template <ValueModel V>
std::vector<Solution> balanced_front(const Search& s, const V& value) {
  std::vector<Solution> out = first_trees(s, value);
  const auto append = [&](const std::vector<Solution>& more) {
    const Solution end = better(value, out.back(), more.back());
    out.insert(out.end(), more.begin(), more.end());
    out.push_back(end);
  };
  if (const auto near = all_by_pairs(s, value); !near.empty())
    append(near);
  else if (s.may_exhaust_levels() && !s.stop.stopped())
    append(trees_of_depths(sharing_choices(s), value));
  if (!s.stop.stopped()) append(search_paper(s, value, *make_cart_generator()));
  return out;
}

// That tree, or a better one of the candidates.
template <ValueModel V>
Solution balanced_with(const Search& s, const V& value, const Solution& found) {
  const Solution known = better(value, found, end_of(first_trees(s, value)));
  if (s.stop.stopped()) return known;
  return better(value, known, end_of(search_paper(s, value, *make_cart_generator())));
}

// The last tree of it alone.
template <ValueModel V>
Solution balanced_end(const Search& s, const V& value) {
  if (const auto near = near_by_pairs(s, value.cost()))
    return balanced_with(s, value, *near);
  const bool deep = s.may_exhaust_levels() && !s.stop.stopped();
  return balanced_with(
      s, value,
      deep ? end_of_depths(sharing_choices(s), value) : end_of(value.leaf(s.root)));
}

template <ValueModel V>
std::vector<Solution> front_of(const Search& s, const V& value) {
  if (s.stop.stopped() || s.max_depth() == 0) return value.leaf(s.root);
  switch (s.strategy) {
    case Strategy::greedy:
      return prune_greedy(s.context(), grow_greedy(s), value);
    case Strategy::paper:
      return search_paper(s, value, *generator_of(s.params.generator));
    case Strategy::balanced:
    case Strategy::optimal:
      break;
  }
  return balanced_front(s, value);
}

// The best tree of at most max_leaf_nodes leaves.
Solution best_within_leaves(const Search& s) {
  const auto front = front_of(s, LeafBudgetFront(s.objective, s.root, s.max_leaves()));
  const ValueOrder order = ScalarValue(s.objective, s.root).order();
  return *std::min_element(front.begin(), front.end(),
                           [&](const Solution& a, const Solution& b) {
                             return order.compare(a.value, b.value) < 0;
                           });
}

// With the value of the tree itself.
Solution valued(const Search& s, Solution solution, const Extracted& tree) {
  const Cost& c = s.objective;
  const double one_leaf =
      c.complexity == Complexity::n_leaves ? c.penalty(s.root.weight) : 0;
  solution.value = {tree.scaled_objective * s.root.weight - one_leaf,
                    static_cast<u64>(tree.tree.n_leaves()), 0};
  return solution;
}

// By the search for the whole path, so that a fit and a path find the same trees.
Solution best_on_path(const Search& s, const std::vector<Solution>& front) {
  const auto tree_of = [&](const Solution& solution) {
    return extract(s, s.objective, solution.plan);
  };
  const ValueOrder order = ScalarValue(s.objective, s.root).order();
  const Extracted end = tree_of(front.back());
  Solution best = valued(s, front.back(), end);
  for (const Solution& one : front) {
    const Extracted tree = tree_of(one);
    if (below_end(tree.loss + tree.feature_cost, end.loss + end.feature_cost,
                  s.root_loss()))
      continue;
    const Solution found = valued(s, one, tree);
    if (order.compare(found.value, best.value) < 0) best = found;
  }
  return best;
}

bool has_prices(const Search& s) {
  return s.objective.alpha > 0 || s.objective.is_mdl() ||
         !s.params.feature_costs.empty();
}

// The pruning of CART's tree that is best for the objective.
Solution pruned_greedy(const Search& s) {
  const PricedPrunings best(s.objective);
  const bool prunes = s.params.use_pruning && has_prices(s);
  const GreedyPrunings* prunings = prunes ? &best : nullptr;
  return prune_greedy(s.context(), grow_greedy_from(s, s.root, nullptr, prunings),
                      ScalarValue(s.objective, s.root));
}

// CART. Where splits or features have a price, the pruning that is best for it.
Solution greedy(const Search& s) {
  if (has_prices(s)) return pruned_greedy(s);
  return {{},
          plan_of_greedy(grow_greedy(s))};  // its value is that of the extracted tree
}

// Algorithm 1 of the paper.
Solution paper(const Search& s) {
  if (s.limits_leaves()) return best_within_leaves(s);
  return search_paper(s, ScalarValue(s.objective, s.root),
                      *generator_of(s.params.generator));
}

// The best of Algorithm 1 and of what a look-ahead at the last levels finds, refined.
// An alpha above 0 takes the whole path, unless it is known to hold what the search for
// that price alone finds. The objective rises neither with the depth nor
// with the number of candidates: the look-ahead has its own, and Algorithm 1 never
// finds a worse tree with more of either.
OptimalResult balanced(const Search& s) {
  if (s.limits_leaves()) return unproven(best_within_leaves(s));
  if (s.depth > 0) {
    if (const auto known = prove_by_pairs(s, s.objective)) return counted(s, *known);
    return unproven(best_below(s));
  }
  const ScalarValue value(s.objective, s.root);
  if (s.objective.is_mdl())  // each split has a price of its own: there is no path
    return unproven(balanced_end(s, value));
  if (s.objective.alpha > 0) {
    if (const auto known = prove_by_pairs(s, s.objective)) return counted(s, *known);
    if (const auto near = near_by_pairs(s, s.objective))
      return unproven(balanced_with(s, value, *near));
  }
  Cost pure = s.objective;
  pure.alpha = 0;
  const AlphaHull hull(pure, s.root);
  if (s.objective.alpha > 0) return unproven(best_on_path(s, balanced_front(s, hull)));
  if (const auto known = prove_by_pairs(s, pure)) return counted(s, *known);
  return unproven(balanced_end(s, hull));
}

// With a clock running: the greedy tree, then the search for one level, for two, …,
// each of them all that a fit with so few levels does. Whenever it stops, it has found
// what such a fit finds, if that had grown its greedy tree as late.
OptimalResult balanced_by_depth(const Search& s) {
  if (s.depth > 0 || s.params.time_limit < 0) return balanced(s);
  const ScalarValue value(s.objective, s.root);
  Solution best = pruned_greedy(s);
  Search some = sharing_choices(s);
  some.deepens = true;
  u64 evaluations = 0;
  for (u32 levels = 1; levels < s.max_depth() && levels <= kLevelsInTurn; ++levels) {
    if (s.stop.stopped()) return unproven(best);
    some.depth_limit = levels;
    const OptimalResult found = balanced(some);
    best = better(value, best, found.solution);
    evaluations += found.evaluations;
  }
  some.depth_limit = s.depth_limit;
  some.deepens = s.max_depth() <= kLevelsInTurn + 1;
  OptimalResult last = s.stop.stopped() ? unproven(best) : balanced(some);
  last.solution = better(value, best, last.solution);
  last.evaluations += evaluations;
  return last;
}

// Where a proof has no limit of levels: a balanced tree of some, or the greedy one.
Solution start_without_limit(const Search& s) {
  const ScalarValue value(s.objective, s.root);
  const Solution greedy = prune_greedy(s.context(), grow_greedy(s), value);
  Search some = s;
  some.depth_limit = s.depth + kLevelsOfStart;
  if (s.stop.stopped() || s.limits_leaves()) return greedy;
  return better(value, greedy, balanced_by_depth(some).solution);
}

// What a proof starts from. A few levels are proven sooner than with the balanced tree;
// but if something may stop the proof, that tree must be there.
OptimalResult start_of_proof(const Search& s, bool may_take_long) {
  const ScalarValue value(s.objective, s.root);
  if (s.params.max_depth < 0) return unproven(start_without_limit(s));
  if (s.limits_leaves()) {
    const Solution greedy = prune_greedy(s.context(), grow_greedy(s), value);
    if (!may_take_long) return unproven(greedy);
    return unproven(better(value, greedy, balanced_by_depth(s).solution));
  }
  if (may_take_long) return balanced_by_depth(s);
  Breadth greedy;
  greedy.max_depth = s.depth + s.max_depth();
  return unproven(DynamicProgram(s, value, *make_cart_generator(), greedy).solve());
}

// A proof of more levels that something may stop: to solve the last three of the tree
// takes a small part of its time, and may be all that there is time for.
Solution improved(const Search& s, const Solution& start) {
  const bool pays = s.params.max_depth > static_cast<i64>(kLevelsSolved) &&
                    s.set.targets.classification() && !s.limits_leaves() &&
                    !s.root.constraints && s.depth == 0;
  if (!pays) return start;
  const Polished end = polished(s, s.objective, start, kRoundsOfSolving, kLevelsSolved);
  return better(ScalarValue(s.objective, s.root), start, end.solution);
}

// The best of all trees, and the proof that there is no better one.
OptimalResult optimal(const Search& s, const ProofWatch& watch) {
  if (!s.params.categorical.empty())
    throw InputError("optimality cannot be proven with categorical features");
  const bool may_stop = watch.may_stop || s.params.time_limit >= 0;
  OptimalResult start = start_of_proof(s, s.max_depth() > 3 || may_stop);
  Progress last{start.solution.value.objective, 0};
  if (start.proven) last.lower_bound = last.objective;
  watch.report(last);
  if (s.stop.stopped() || start.proven) return start;
  const auto report = [&](Progress now) {
    if (now.objective >= last.objective && now.lower_bound <= last.lower_bound) return;
    last = now;
    s.stop.stage.set_share(now.lower_bound / now.objective);
    watch.report(now);
  };
  if (may_stop) start.solution = improved(s, start.solution);
  s.stop.stage.begin("proving", 1000);  // the share of the objective that is proven
  report({start.solution.value.objective, 0});
  if (s.stop.stopped()) return start;
  OptimalParams p = optimal_params(s, s.objective);
  p.max_leaves = s.max_leaves();
  p.first_depth = 2;
  p.pool = &s.pool;
  return counted(
      s, solve_optimal(s.context(), p, s.root, s.features, start.solution, report));
}

}  // namespace

OptimalResult find_tree(const Search& s, const ProofWatch& watch) {
  if (s.stop.stopped() || s.tuned.one_leaf() || s.max_depth() == 0 ||
      s.max_leaves() == 1)
    return leaf_of(s);
  switch (s.strategy) {
    case Strategy::greedy:
      return unproven(greedy(s));
    case Strategy::paper:
      return unproven(paper(s));
    case Strategy::balanced:
      return balanced_by_depth(s);
    case Strategy::optimal:
      break;
  }
  return optimal(s, watch);
}

std::vector<Solution> find_front(const Search& s, FrontKind kind) {
  if (kind == FrontKind::alpha) return front_of(s, AlphaHull(s.objective, s.root));
  return front_of(s, LeafBudgetFront(s.objective, s.root, s.max_leaves()));
}

}  // namespace dpdtree
