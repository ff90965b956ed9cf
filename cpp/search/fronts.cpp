#include "search/fronts.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "search/description_price.hpp"

namespace dpdtree {
namespace {

constexpr u32 kFewRows = 3000;
constexpr std::array<u32, 3> kDeepCandidates{4, 4, 4};  // by depth

Breadth breadth_of(const Search& s) {
  Breadth b;
  b.max_depth = s.depth + s.max_depth();
  b.n_candidates = s.params.n_candidates;
  if (b.n_candidates.size() > b.max_depth) b.n_candidates.resize(b.max_depth);
  b.prune = s.params.use_pruning;
  return b;
}

// Whatever n_candidates says: a search that is asked for more of them then finds what
// one for fewer finds, and what Algorithm 1 finds with more.
Breadth deep_breadth(const Search& s, const Lookahead* lookahead) {
  Breadth b = breadth_of(s);
  b.n_candidates.assign(kDeepCandidates.begin(), kDeepCandidates.end());
  b.lookahead = lookahead;
  if (!s.set.targets.classification()) b.followed_roots = 4;  // they pay for numbers
  b.exhaustive_last = true;
  return b;
}

// At most so many at every depth.
Breadth at_most(Breadth b, u64 most) {
  for (u32& n : b.n_candidates) n = static_cast<u32>(std::min<u64>(n, most));
  return b;
}

// With a clock running: the greedy tree first, then two candidates, then twice as many
// each time. Whenever it stops, the trees of all passes before are there.
template <ValueModel V>
typename V::Front search_widening(const Search& s, const V& value,
                                  const Generator& generator) {
  const Breadth all = breadth_of(s);
  u64 largest = 1;
  for (const u32 n : all.n_candidates) largest = std::max<u64>(largest, n);
  typename V::Front known =
      DynamicProgram(s, value, *make_cart_generator(), at_most(all, 1)).solve();
  const bool counts = !generator.ignores_count();
  if (counts && largest == 1) return known;
  for (u64 most = 2; !s.stop.stopped(); most *= 2) {
    const bool last = !counts || most >= largest;
    typename V::Front found =
        DynamicProgram(s, value, generator, last ? all : at_most(all, most)).solve();
    if (last && !s.stop.stopped()) return found;
    value.add(known, found);
  }
  return known;
}

}  // namespace

std::unique_ptr<Lookahead> make_lookahead(const Search& s, const Cost& objective,
                                          bool all_alphas) {
  if (s.root.constraints) return nullptr;
  LookaheadParams p;
  p.loss = objective.loss;
  p.alpha = objective.penalty_rate();
  p.alpha_weight = objective.is_mdl() ? typical_price(s, objective)
                                      : objective.penalty(objective.total_weight);
  p.per_leaf = objective.complexity != Complexity::path_length;
  p.all_alphas = all_alphas;
  const bool simple = !s.set.targets.general && is_simple(objective.loss);
  return simple ? make_pairwise_lookahead(p) : make_one_level_lookahead(p);
}

std::unique_ptr<Generator> generator_of(const std::string& name) {
  if (name == "cart") return make_cart_generator();
  if (name == "exhaustive") return make_exhaustive_generator();
  if (name == "top_b") return make_top_b_generator(false);
  if (name == "top_b_per_feature") return make_top_b_generator(true);
  throw InputError("unknown generator '" + name + "'");
}

template <ValueModel V>
typename V::Front search_paper(const Search& s, const V& value,
                               const Generator& generator) {
  if constexpr (std::is_same_v<V, ScalarValue>)
    if (s.parts->memos)
      return DynamicProgram(s, value, generator, breadth_of(s), &s.parts->memos->paper)
          .solve();
  if (s.params.time_limit >= 0) return search_widening(s, value, generator);
  return DynamicProgram(s, value, generator, breadth_of(s)).solve();
}

// At the last level all splits instead of candidates, and above it what the look-ahead
// finds.
template <ValueModel V>
DeepFront<V> search_deep(const Search& s, const V& value) {
  const auto lookahead = make_lookahead(s, value.cost(), std::is_same_v<V, AlphaHull>);
  const auto generator = make_both_criteria_generator();
  DynamicProgram program(s, value, *generator, deep_breadth(s, lookahead.get()));
  typename V::Front front = program.solve();
  return {std::move(front), program.root_plans()};
}

Solution best_below(const Search& s) {
  const ScalarValue value(s.objective, s.root);
  const bool exhausts = s.may_exhaust_levels();
  // One scan finds the best of all splits.
  const bool one_scan = exhausts && s.max_depth() == 1 && !s.root.constraints;
  const Solution paper =
      one_scan ? value.leaf(s.root) : search_paper(s, value, *make_cart_generator());
  if (!exhausts || s.stop.stopped()) return paper;
  const auto lookahead = make_lookahead(s, s.objective, false);
  const auto generator = make_both_criteria_generator();
  Breadth breadth = deep_breadth(s, lookahead.get());
  // Descents from the trees of several roots cost more than they gain where there are
  // many rows, and states that are known already need not be searched then.
  breadth.keep_roots = s.root.n() <= kFewRows;
  Memo<StateValue<ScalarValue>>* shared =
      s.parts->memos ? &s.parts->memos->deep : nullptr;
  DynamicProgram program(s, value, *generator, breadth, shared);
  const Solution deep = program.solve();
  if (one_scan) return deep;
  const Solution found = largest_tree(s, value, {deep, program.root_plans()}).solution;
  return value.order().compare(found.value, paper.value) < 0 ? found : paper;
}

template <ValueModel V>
Polished largest_tree(const Search& s, const V& value, const DeepFront<V>& deep) {
  const Cost& objective = value.cost();
  // What refines a tree knows nothing of constraints.
  if (s.root.constraints) return {end_of(deep.front)};
  std::vector<Solution> starts;
  for (const auto& root : deep.roots) starts.push_back(end_of(root));
  if (starts.empty()) starts.push_back(end_of(deep.front));
  // With a limit the largest tree is one of many that may not grow.
  if (std::is_same_v<V, LeafBudgetFront> && s.limits_leaves())
    return {best_refined(s, objective, std::move(starts), Growth::none)};
  return polished(s, objective,
                  best_refined(s, objective, std::move(starts), Growth::free), 2);
}

// At the middle of the alphas for which this vertex of the hull is best.
Polished refined_point(const Search& s, const AlphaHull& value,
                       const AlphaHull::Front& front, std::size_t i, bool pays) {
  const auto rate = [&](std::size_t a, std::size_t b) {
    return (front[a].value.objective - front[b].value.objective) /
           (front[b].x - front[a].x);
  };
  const double middle = (rate(i - 1, i) + rate(i, i + 1)) / 2;
  Cost objective = value.cost();
  objective.alpha = middle * objective.loss_unit;
  Solution start = front[i];
  start.value.objective += middle * front[i].x;
  const Solution found = refined(s, objective, start, Growth::free);
  if (!pays || found.value.leaves <= 2) return {found, pays};
  return polished(s, objective, found, 1);
}

Polished refined_point(const Search& s, const LeafBudgetFront& value,
                       const LeafBudgetFront::Front& front, std::size_t i, bool pays) {
  return {refined(s, value.cost(), front[i], Growth::none), pays};
}

template ScalarValue::Front search_paper(const Search&, const ScalarValue&,
                                         const Generator&);
template AlphaHull::Front search_paper(const Search&, const AlphaHull&,
                                       const Generator&);
template LeafBudgetFront::Front search_paper(const Search&, const LeafBudgetFront&,
                                             const Generator&);
template DeepFront<ScalarValue> search_deep(const Search&, const ScalarValue&);
template DeepFront<AlphaHull> search_deep(const Search&, const AlphaHull&);
template DeepFront<LeafBudgetFront> search_deep(const Search&, const LeafBudgetFront&);
template Polished largest_tree(const Search&, const ScalarValue&,
                               const DeepFront<ScalarValue>&);
template Polished largest_tree(const Search&, const AlphaHull&,
                               const DeepFront<AlphaHull>&);
template Polished largest_tree(const Search&, const LeafBudgetFront&,
                               const DeepFront<LeafBudgetFront>&);

}  // namespace dpdtree
