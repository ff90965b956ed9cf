// The strategies that search a tree, or a whole front of trees, on a prepared fit.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "api/prepared_fit.hpp"
#include "prove/optimal.hpp"
#include "search/extract.hpp"
#include "search/feature_screening.hpp"
#include "search/refine.hpp"
#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {

class Strategies : protected PreparedFit {
 protected:
  using PreparedFit::PreparedFit;

  u64 most_leaves() const {
    return params_.max_leaf_nodes > 0 ? static_cast<u64>(params_.max_leaf_nodes)
                                      : ~0ULL;
  }

  static Solution solution_of(const Point& point) {
    return {point.value, flatten(point.plan)};
  }

  // Where splits or features have a price, the pruning that is best for it.
  Solution solve_greedy() {
    const GreedyGrower grower = grow_greedy();
    if (cost().alpha > 0 || cost().is_mdl() || !params_.feature_costs.empty())
      return solution_of(
          prune_greedy(workers_[0]->context, grower, ScalarValue(cost(), root_)));
    Solution out;  // its value is that of the extracted tree
    out.plan = flatten(plan_of_greedy(grower));
    return out;
  }

  // The plans of the front, for AlphaHull and LeafBudgetFront.
  template <class ValueModel>
  std::vector<Solution> solve_front(const ValueModel& kind) {
    if (stop_.stopped()) return solutions_of(kind.leaf(root_));
    if (params_.strategy == "greedy")
      return solutions_of(prune_greedy(workers_[0]->context, grow_greedy(), kind));
    if (params_.strategy == "paper")
      return solutions_of(run(kind, *generator_of(params_.generator)));
    return balanced_front(kind);
  }

  static std::vector<Solution> solutions_of(const std::vector<Point>& front) {
    std::vector<Solution> out;
    for (const Point& point : front) out.push_back(solution_of(point));
    return out;
  }

  // What the candidates give, and the look-ahead with each of its roots (nothing, if
  // there is none).
  struct Fronts {
    std::vector<Point> paper, looked;
    std::vector<std::vector<Point>> roots;
  };

  template <class ValueModel>
  Fronts search_fronts(const ValueModel& kind) {
    add_second_criterion();
    Fronts f{run(kind, *make_cart_generator()), {}, {}};
    if (!exhaustive_levels() || stop_.stopped()) return f;
    const Bottom bottom = make_bottom(std::is_same_v<ValueModel, AlphaHull>);
    f.looked = run(kind, *make_both_criteria_generator(), &bottom, &f.roots);
    return f;
  }

  // The tree at the end of the front, refined.
  template <class ValueModel>
  Solution largest(const ValueModel& kind, const Fronts& f) {
    const Solution paper = solution_of(f.paper.back());
    if (f.looked.empty()) return paper;
    if (root_.constraints) {  // what refines a tree knows nothing of them
      const Solution deeper = solution_of(f.looked.back());
      return order().compare(deeper.value, paper.value) < 0 ? deeper : paper;
    }
    std::vector<Solution> starts;
    for (const auto& root : f.roots) starts.push_back(solution_of(root.back()));
    return largest_refined(kind, std::move(starts), paper);
  }

  // Both fronts, then each of their trees refined for what it is best at; those before
  // remain. The last one is the largest.
  template <class ValueModel>
  std::vector<Solution> balanced_front(const ValueModel& kind) {
    const Fronts f = search_fronts(kind);
    std::vector<Point> front = f.looked.empty() ? f.paper : f.looked;
    kind.add(front, f.paper);
    std::vector<Solution> out = solutions_of(front);
    const bool refines = !f.looked.empty() && !root_.constraints;
    // First the end: it tells if polishing pays.
    const auto known = solve_outright();
    const Solution end = known ? known->solution : largest(kind, f);
    for (std::size_t i = front.size() - 1; refines && i-- > 1 && !stop_.stopped();)
      out.push_back(refined_point(kind, front, i));
    out.push_back(end);
    return out;
  }

  OptimalParams optimal_params(const Cost& c) const {
    OptimalParams p{c, ScalarValue(c, root_).order(), limit_of(params_.max_depth)};
    p.use_pair_search = params_.use_pair_search;
    return p;
  }

  // The proven optimum, where few yes/no questions tell the rows apart: its search then
  // takes less time than those for candidates. With a clock running a tree is made
  // first.
  std::optional<OptimalResult> solve_outright() {
    const Cost& c = cost();
    const u32 depth = limit_of(params_.max_depth);
    if (depth < 2 || depth > 3 || !c.bounds_errors() || c.is_mdl() ||
        params_.max_leaf_nodes > 0 || !params_.categorical.empty() ||
        root_.constraints || !exhaustive_levels() || stop_.stopped())
      return std::nullopt;
    add_loss_finder();
    Solution start{c.leaf(root_), {PlanNode{}}};
    if (params_.time_limit >= 0) start = solve_with(*make_cart_generator());
    return solve_cheaply(workers_[0]->context, optimal_params(c), root_, all_features(),
                         start);
  }

  void keep_proof(const OptimalResult& result) {
    proven_ = result.proven;
    proven_bound_ = result.lower_bound;
    workers_[0]->context.counters.states += result.evaluations;
  }

  // A tree that costs less than the end of its path: a fit with alpha = 0, which
  // searches that end alone, would not find it. Rounding is that of the root's loss: an
  // end without any loss may be told from another one by nothing else.
  bool below(const Extracted& tree, double end) const {
    const double loss = cost().leaf_loss(root_) / root_.weight * cost().loss_unit;
    return tree.loss + tree.feature_cost < end - 1e-12 * std::max(end, loss);
  }

  Extracted extracted(const Solution& solution) const {
    return extract(*problem_, cost(), solution.plan, rows_, root_.constraints);
  }

  // At the middle of the alphas for which this vertex of the hull is best.
  Solution refined_point(const AlphaHull&, const std::vector<Point>& front,
                         std::size_t i) {
    const auto rate = [&](std::size_t a, std::size_t b) {
      return (front[a].value.objective - front[b].value.objective) /
             (front[b].x - front[a].x);
    };
    const double middle = (rate(i - 1, i) + rate(i, i + 1)) / 2;
    Cost c = cost();
    c.alpha = middle * c.loss_unit;
    Solution start = solution_of(front[i]);
    start.value.objective += middle * front[i].x;
    const Solution found = refined(start, c, true);
    return polishing_pays_ && found.value.leaves > 2 ? polished(found, c, 1) : found;
  }

  Solution refined_point(const LeafBudgetFront&, const std::vector<Point>& front,
                         std::size_t i) {
    return refined(solution_of(front[i]), cost(), false);
  }

  Solution largest_refined(const AlphaHull&, std::vector<Solution> starts,
                           const Solution& paper) {
    return best_refined(std::move(starts), paper);
  }

  // With a limit the largest tree is one of many that may not grow.
  Solution largest_refined(const LeafBudgetFront&, std::vector<Solution> starts,
                           const Solution& paper) {
    if (params_.max_leaf_nodes < 0) return best_refined(std::move(starts), paper);
    starts.push_back(paper);
    Solution best = paper;
    const ValueOrder o = order();
    for (const Solution& start : best_few(std::move(starts))) {
      const Solution found = stop_.stopped() ? start : refined(start, cost(), false);
      if (o.compare(found.value, best.value) < 0) best = found;
    }
    return best;
  }

  // A limit that forbids splits by what they decrease, or hides features, rules out
  // levels that are solved exhaustively.
  bool exhaustive_levels() const {
    return params_.min_impurity_decrease <= 0 &&
           limit_of(params_.max_features) >= columns_.size();
  }

  Solution solve_balanced() {
    if (params_.max_leaf_nodes > 0) return solve_with_max_leaves();
    return cost().is_mdl() ? solve_described() : solve_on_the_path();
  }

  // By the search for the whole path, so that a fit and a path find the same trees.
  Solution solve_on_the_path() {
    const Cost own = cost();
    cost_.alpha = 0;
    const AlphaHull hull(cost_, root_);
    if (own.alpha == 0) {
      if (const auto known = solve_outright()) {
        keep_proof(*known);
        return known->solution;
      }
      return largest(hull, search_fronts(hull));
    }
    const std::vector<Solution> front = balanced_front(hull);
    cost_ = own;
    const Extracted end = extracted(front.back());
    Solution best = valued(front.back(), end);
    for (const Solution& one : front) {
      const Extracted tree = extracted(one);
      if (below(tree, end.loss + end.feature_cost)) continue;
      const Solution found = valued(one, tree);
      if (order().compare(found.value, best.value) < 0) best = found;
    }
    return best;
  }

  // With the value of the tree itself.
  Solution valued(Solution solution, const Extracted& tree) const {
    const double one_leaf =
        cost().complexity == Complexity::n_leaves ? cost().penalty(root_.weight) : 0;
    solution.value = {tree.scaled_objective * root_.weight - one_leaf,
                      static_cast<u64>(tree.tree.n_leaves()), 0};
    return solution;
  }

  // Each split has a price of its own, and there is no path.
  Solution solve_described() {
    add_second_criterion();
    // The published algorithm first: nothing that follows may be worse.
    const Solution paper = solve_with(*make_cart_generator());
    if (!exhaustive_levels() || stop_.stopped()) return paper;
    const Bottom bottom = make_bottom();
    std::vector<Solution> starts;
    const Solution deeper =
        solve_with(*make_both_criteria_generator(), &bottom, &starts);
    // What refines a tree knows of no constraints.
    if (root_.constraints)
      return order().compare(deeper.value, paper.value) < 0 ? deeper : paper;
    return best_refined(std::move(starts), paper);
  }

  void add_second_criterion() {
    const Criterion criterion = criterion_of(params_.criterion);
    if (targets_.classification())
      add_finder(SearchTarget::second,
                 criterion == Criterion::gini ? Criterion::entropy : Criterion::gini);
  }

  // Instead of candidates, at the last levels: all splits of the last one, and above it
  // what the look-ahead finds. That is null with constraints, of which it knows
  // nothing.
  struct Bottom {
    std::unique_ptr<Lookahead> look;
  };

  Bottom make_bottom(bool all_alphas = false) {
    const Cost& c = cost();
    add_loss_finder();
    if (root_.constraints) return {};
    LookaheadParams lp;
    lp.loss = c.loss;
    lp.alpha = c.penalty_rate();
    lp.alpha_weight = c.penalty(c.total_weight);
    lp.per_leaf = c.complexity != Complexity::path_length;
    if (c.is_mdl()) lp.alpha_weight = typical_price();
    lp.all_alphas = all_alphas;
    const bool simple =
        !targets_.general && c.loss != Criterion::cost_matrix && !needs_rows(c.loss);
    return {simple ? make_pairwise_lookahead(lp) : make_one_level_lookahead(lp)};
  }

  static std::vector<Solution> best_few(std::vector<Solution> starts) {
    constexpr std::size_t kStarts = 3;
    std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) {
      return a.value.objective < b.value.objective;
    });
    if (starts.size() > kStarts) starts.resize(kStarts);
    return starts;
  }

  // Descent from the best few roots: they often end in different places.
  Solution best_refined(std::vector<Solution> starts, const Solution& paper) {
    const ValueOrder o = order();
    starts.push_back(paper);
    Solution best = paper;
    for (const Solution& start : best_few(std::move(starts))) {
      const Solution found = stop_.stopped() ? start : refined(start);
      if (o.compare(found.value, best.value) < 0) best = found;
    }
    return polished(best, cost(), 2);
  }

  // Exact bottoms may free the splits above them to move, and the other way round.
  Solution polished(Solution best, const Cost& c, int rounds) {
    constexpr std::size_t kPolishFeatures = 64;  // its time grows with their square
    const u32 depth = limit_of(params_.max_depth);
    const ValueOrder o = ScalarValue(c, root_).order();
    for (int round = 0; round < rounds; ++round) {
      if (depth < 2 || !c.bounds_errors() || c.is_mdl() || stop_.stopped()) break;
      if (!params_.categorical.empty()) break;  // the exact search knows numbers only
      SearchContext& context = workers_[0]->context;
      const FeatureList features =
          few_cuts(columns_, *all_features())
              ? all_features()
              : screened_features(context, root_, all_features(), best.plan, depth - 2,
                                  kPolishFeatures);
      const Solution found =
          polish_bottoms(context, optimal_params(c), root_, features, best);
      const bool better = o.compare(found.value, best.value) < 0;
      polishing_pays_ = better || round > 0;
      if (!better) break;
      best = refined(found, c, true);
    }
    return best;
  }

  ValueOrder order() const { return ScalarValue(cost(), root_).order(); }

  Solution refined(const Solution& start) { return refined(start, cost(), true); }

  Solution refined(const Solution& start, const Cost& cost, bool may_grow) {
    Targets side_targets;
    side_targets.y.resize(std::max(targets_.label.size(), targets_.y.size()) /
                          targets_.n_outputs);
    FinderParams fp;
    fp.criterion = Criterion::fixed_sides;
    fp.limits.min_samples_leaf = limits_.min_samples_leaf;
    fp.threshold_price = cost.threshold_price();
    const auto finder = make_split_finder(columns_, keys_, side_targets, fp);
    RefineParams rp;
    rp.cost = cost;
    rp.max_depth = limit_of(params_.max_depth);
    rp.order = ScalarValue(cost, root_).order();
    rp.may_grow = may_grow;
    return refine(workers_[0]->context, {*finder, side_targets}, rp, root_,
                  all_features(), start);
  }

  Solution solve_paper() {
    if (params_.max_leaf_nodes > 0) return solve_with_max_leaves();
    return solve_with(*generator_of(params_.generator));
  }

  Solution solve_with_max_leaves() {
    const std::vector<Solution> front =
        solve_front(LeafBudgetFront(cost(), root_, most_leaves()));
    const ValueOrder o = order();
    return *std::min_element(front.begin(), front.end(),
                             [&](const Solution& a, const Solution& b) {
                               return o.compare(a.value, b.value) < 0;
                             });
  }

  Solution solve_with(const Generator& generator, const Bottom* bottom = nullptr,
                      std::vector<Solution>* root_plans = nullptr) {
    std::vector<Point> roots;
    const Point best = run(ScalarValue(cost(), root_), generator, bottom, &roots);
    if (root_plans != nullptr)
      for (const Point& point : roots) root_plans->push_back(solution_of(point));
    return solution_of(best);
  }

  // The dynamic program, for any kind of value.
  template <class ValueModel>
  typename ValueModel::Front run(
      const ValueModel& kind, const Generator& generator,
      const Bottom* bottom = nullptr,
      std::vector<typename ValueModel::Front>* root_plans = nullptr) {
    SolverParams p;
    p.max_depth = limit_of(params_.max_depth);
    p.n_candidates = params_.n_candidates;
    if (p.n_candidates.size() > p.max_depth) p.n_candidates.resize(p.max_depth);
    p.prune = params_.use_pruning;
    p.exhaustive_last = bottom != nullptr;
    if (bottom != nullptr) p.lookahead = bottom->look.get();
    std::optional<typename Solver<ValueModel>::Memo> memo;
    if (params_.use_state_memo) memo.emplace(kStateMemoBytes);
    Solver<ValueModel> solver(p, kind, generator, memo ? &*memo : nullptr, workers_,
                              pool_);
    auto best = solver.solve(root_, all_features());
    if (root_plans != nullptr) *root_plans = solver.root_plans();
    return best;
  }

  bool proven_ = false;
  double proven_bound_ = 0;

 private:
  static constexpr std::size_t kStateMemoBytes = 64u << 20;

  // Did it improve the last tree? On a path its neighbours are much like it.
  bool polishing_pays_ = true;
};

}  // namespace dpdtree
