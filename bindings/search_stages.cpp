// Single stages of the search, for tests on hand-made input.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "prove/optimal.hpp"
#include "prove/stumps.hpp"
#include "register.hpp"
#include "search/frontier.hpp"
#include "search/lookahead/pair_histogram.hpp"
#include "search/polish.hpp"
#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"
#include "training_data.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

using Points = std::vector<std::pair<double, double>>;  // x, objective

// A search of its own for one stage.
struct StageSearch {
  StageSearch(const AnyMatrix& x, const nb::object& y, const Weights& weights,
              const ClassCounts& n_classes, const TreeParams& params)
      : search(prepare(training_data(x, y, weights, n_classes), params, stop, pool)) {}

  StopToken stop{-1, {}};
  ThreadPool pool{1};
  std::unique_ptr<const Search> search;
};

// ------------------------------------------------------------------- value models

// Two classes of so many rows altogether: only tolerances depend on it.
template <class V, class... More>
auto with_model(double weight, const auto& use, More... more) {
  Targets targets;
  targets.n_classes = 2;
  const std::vector<double> stats{weight / 2, weight / 2};
  const NodeView root{{}, stats, weight, {}};
  Cost cost;
  cost.targets = &targets;
  cost.total_weight = weight;
  return use(V(cost, root, more...));
}

std::vector<Solution> front_of(const Points& points) {
  std::vector<Solution> front;
  for (const auto& [x, y] : points)
    front.push_back({{y, static_cast<u64>(x), 0}, nullptr, x});
  return front;
}

template <class P>
Points points_of(const std::vector<P>& front, auto y) {
  Points out;
  for (const P& p : front) out.emplace_back(p.x, y(p));
  return out;
}

Points points_of_front(const std::vector<Solution>& front) {
  return points_of(front, [](const Solution& s) { return s.value.objective; });
}

std::vector<BoundPoint> bound_of(const Points& points) {
  std::vector<BoundPoint> bound;
  for (const auto& [x, y] : points) bound.push_back({x, y});
  return bound;
}

Points hull_backup(const Points& best, double complexity, const Points& left,
                   const Points& right, double weight) {
  return with_model<AlphaHull>(weight, [&](const AlphaHull& hull) {
    std::vector<Solution> front = front_of(best);
    hull.backup(front, Split{}, {complexity, 0}, front_of(left), front_of(right));
    return points_of_front(front);
  });
}

Points hull_either(const Points& a, const Points& b, double weight) {
  return with_model<AlphaHull>(weight, [&](const AlphaHull& hull) {
    return points_of(hull.either(bound_of(a), bound_of(b)),
                     [](const BoundPoint& p) { return p.y; });
  });
}

// Would a side with this bound be given up, once `best` is known and the other side is
// worth `other`?
bool hull_prunes(const Points& best, double complexity, const Points& other,
                 const Points& bound, double weight) {
  return with_model<AlphaHull>(weight, [&](const AlphaHull& hull) {
    const auto budget = hull.lower_of(AlphaHull::unlimited(), front_of(best));
    return hull.exceeds(bound_of(bound),
                        hull.for_side(budget, {complexity, 0}, bound_of(other)));
  });
}

Points leaf_front_backup(const Points& best, double price, const Points& left,
                         const Points& right, u64 max_leaves, double weight) {
  const auto use = [&](const LeafBudgetFront& value) {
    std::vector<Solution> front = front_of(best);
    value.backup(front, Split{}, price, front_of(left), front_of(right));
    return points_of_front(front);
  };
  return with_model<LeafBudgetFront>(weight, use, max_leaves);
}

// ------------------------------------------------------------------------- division

using Division = std::tuple<std::vector<Row>, std::vector<Row>, std::vector<double>,
                            std::vector<double>, bool>;

// Rows and statistics of both children of the root, and where missing values go.
Division divide(const AnyMatrix& x, const nb::object& y, const Weights& weights,
                const ClassCounts& n_classes, const TreeParams& params, u32 feature,
                double threshold, std::optional<bool> missing_left) {
  const StageSearch stage(x, y, weights, n_classes, params);
  const Search& s = *stage.search;
  Split split;
  split.feature = feature;
  split.threshold = threshold;
  split.cut = s.problem.columns[feature].cut_of(threshold);
  if (missing_left) split.missing = *missing_left ? Missing::left : Missing::right;
  const std::size_t width = s.root.stats.size();
  std::vector<Row> rows(s.root.rows.size());
  std::vector<double> stats(2 * width), only(2 * width);
  Split same = split;
  const Children c =
      split_node(s.problem, s.root, split, rows.data(), s.context().spare_rows,
                 stats.data(), stats.data() + width);
  split_stats(s.problem, s.root, same, only.data(), only.data() + width);
  if (same.missing != split.missing) throw InputError("the two divisions differ");
  const auto copy = [](auto span) { return std::vector(span.begin(), span.end()); };
  return {copy(c.left.rows), copy(c.right.rows), only,
          copy(std::span<const double>(stats)), split.missing == Missing::left};
}

// --------------------------------------------------------------- plans and proofs

using FlatPlan = std::vector<std::optional<std::pair<u32, double>>>;  // preorder

Plan plan_of(const Search& s, const FlatPlan& flat, std::size_t& at) {
  if (at >= flat.size()) throw InputError("the plan ends too soon");
  const auto node = flat[at++];
  if (!node) return nullptr;
  if (node->first >= s.problem.columns.size()) throw InputError("no such feature");
  Split split;
  split.feature = node->first;
  split.threshold = node->second;
  split.cut = s.problem.columns[split.feature].cut_of(split.threshold);
  split.missing = Missing::right;
  const Plan left = plan_of(s, flat, at);
  return join(split, left, plan_of(s, flat, at));
}

void flatten(const Plan& plan, FlatPlan& out) {
  if (plan == nullptr) return out.push_back(std::nullopt);
  out.emplace_back(std::pair(plan->split.feature, plan->split.threshold));
  flatten(plan->left, out);
  flatten(plan->right, out);
}

// The plan after refinement, and its objective in sums. The start counts as the worst.
std::pair<FlatPlan, double> refine_plan(const AnyMatrix& x, const nb::object& y,
                                        const Weights& weights,
                                        const ClassCounts& n_classes,
                                        const TreeParams& params, const FlatPlan& plan,
                                        bool may_grow) {
  const StageSearch stage(x, y, weights, n_classes, params);
  const Search& s = *stage.search;
  std::size_t at = 0;
  Solution start;
  start.value.objective = std::numeric_limits<double>::infinity();
  start.plan = plan_of(s, plan, at);
  const Solution found =
      refined(s, s.objective, start, may_grow ? Growth::free : Growth::none);
  FlatPlan out;
  flatten(found.plan, out);
  return {out, found.value.objective};
}

// Objective and lower bound (the first leaf is free), whether the tree is proven to be
// optimal, and how many sets of rows were evaluated.
std::tuple<double, double, bool, u64> prove(const AnyMatrix& x, const nb::object& y,
                                            const Weights& weights,
                                            const ClassCounts& n_classes,
                                            const TreeParams& params, bool by_pairs) {
  const StageSearch stage(x, y, weights, n_classes, params);
  const Search& s = *stage.search;
  OptimalParams p{s.objective, ScalarValue(s.objective, s.root).order(), s.max_depth()};
  p.max_leaves = s.max_leaves();
  p.use_pair_search = by_pairs;
  const Solution start{s.objective.leaf(s.root), nullptr};
  const OptimalResult r =
      solve_optimal(s.context(), p, s.root, s.features, start, [](Progress) {});
  const double unit = s.objective.loss_unit / s.root.weight;
  return {r.solution.value.objective * unit, r.lower_bound * unit, r.proven,
          r.evaluations};
}

// ---------------------------------------------------------------- pair histograms

using Gains = std::vector<std::vector<float>>;

Gains as_lists(const EdgeGains& g) {
  return {g.left, g.right, g.left_leaf, g.right_leaf, g.left_weight};
}

// `bins` has a list of bins per feature; labels ascend. Weights, if there are any.
struct PairData {
  PairData(const std::vector<std::vector<u8>>& bin, const std::vector<u16>& labels,
           u32 n_classes, const std::vector<double>& weights) {
    targets.n_classes = n_classes;
    targets.label.assign(labels.begin(), labels.end());
    targets.weight = weights;
    for (const auto& column : bin) {
      LocalBins own;
      own.bin = column;
      const u8 last = *std::max_element(column.begin(), column.end());
      for (u32 b = 0; b <= last; ++b) own.first.push_back(b);
      own.last = own.first;
      bins.push_back(std::move(own));
    }
  }
  Targets targets;
  std::vector<LocalBins> bins;
};

// The same of numbers.
struct NumberPairData : PairData {
  NumberPairData(const std::vector<std::vector<u8>>& bin, const std::vector<double>& y,
                 const std::vector<double>& weights)
      : PairData(bin, {}, 0, weights) {
    targets.y = y;
  }
};

Gains number_pair_gains(const std::vector<std::vector<u8>>& bins,
                        const std::vector<double>& y,
                        const std::vector<double>& weights, u32 min_samples_leaf) {
  const NumberPairData d(bins, y, weights);
  return as_lists(
      pair_gains_of({d.targets, d.bins, Criterion::squared_error, min_samples_leaf}));
}

Gains pair_gains(const std::vector<std::vector<u8>>& bins,
                 const std::vector<u16>& labels, u32 n_classes,
                 const std::vector<double>& weights, const std::string& loss,
                 u32 min_samples_leaf) {
  const PairData d(bins, labels, n_classes, weights);
  return as_lists(
      pair_gains_of({d.targets, d.bins, criterion_of(loss), min_samples_leaf}));
}

std::pair<Gains, Gains> divided_pair_gains(
    const std::vector<std::vector<u8>>& bins, const std::vector<u16>& labels,
    u32 n_classes, const std::vector<double>& weights, const std::string& loss,
    const std::vector<u32>& left, const std::vector<u32>& right) {
  const PairData d(bins, labels, n_classes, weights);
  const PairHistogramProblem problem{d.targets, d.bins, criterion_of(loss), 1};
  const auto sides = make_divided_gains(problem)->gains({left, right});
  return {as_lists(sides[0]), as_lists(sides[1])};
}

// ------------------------------------------------------------------------- frontier

// The order in which open nodes of these gains, some of them bounds, are popped; and
// the first that are expected to be next.
std::pair<std::vector<u32>, std::vector<u32>> frontier_order(
    const std::vector<std::pair<double, bool>>& gains, std::size_t n_next) {
  Frontier<> open;
  for (u32 i = 0; i < gains.size(); ++i)
    open.push({gains[i].first, i, gains[i].second});
  std::vector<u32> next, order;
  for (const auto* o : open.next(n_next, [](const auto&) { return true; }))
    next.push_back(o->node);
  while (!open.empty()) order.push_back(open.pop().node);
  return {order, next};
}

// Of both sides of cuts of one ordering, by the fastest solver and by the one for
// anything: leaf, stump, rows and weight. And if these are two solvers.
using StumpList = std::vector<std::tuple<double, double, u32, double>>;
std::tuple<StumpList, StumpList, bool> stumps_of_cuts(
    const AnyMatrix& x, const nb::object& y, const Weights& weights,
    const ClassCounts& n_classes, const TreeParams& params, u32 ordering,
    const std::vector<u32>& cuts) {
  const StageSearch stage(x, y, weights, n_classes, params);
  const Search& s = *stage.search;
  const ExactData data =
      make_exact_data(s.problem.columns, s.set.targets, s.root.rows, *s.features);
  const RankedRows rows = rank_rows(data);
  const auto fast = make_stump_solver(data, {}),
             general = make_general_stumps(data, {});
  const auto solved = [&](StumpSolver& solver) {
    std::array<SubsetLoss, kLanes> losses;
    solver.solve(rows, {{{ordering, cuts}}}, losses);
    StumpList out;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (lane % kCuts < cuts.size())
        out.emplace_back(losses[lane].leaf, losses[lane].stump, losses[lane].n,
                         losses[lane].weight);
    return out;
  };
  const StumpSolver &a = *fast, &b = *general;
  return {solved(*fast), solved(*general), typeid(a) != typeid(b)};
}

}  // namespace

void register_search_stages(nb::module_& m) {
  nb::module_ s = nb::borrow<nb::module_>(m.attr("stages"));
  s.def("hull_backup", hull_backup, "best"_a, "complexity"_a, "left"_a, "right"_a,
        "weight"_a);
  s.def("hull_either", hull_either, "a"_a, "b"_a, "weight"_a);
  s.def("hull_prunes", hull_prunes, "best"_a, "complexity"_a, "other"_a, "bound"_a,
        "weight"_a);
  s.def("leaf_front_backup", leaf_front_backup, "best"_a, "price"_a, "left"_a,
        "right"_a, "max_leaves"_a, "weight"_a);
  s.def("frontier_order", frontier_order, "gains"_a, "n_next"_a);
  s.def("divide", divide, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "feature"_a, "threshold"_a, "missing_left"_a.none() = nb::none());
  s.def("refine", refine_plan, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "plan"_a, "may_grow"_a = true);
  s.def("prove", prove, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "by_pairs"_a);
  s.def("stumps_of_cuts", stumps_of_cuts, "X"_a, "y"_a, "sample_weight"_a.none(),
        "n_classes"_a, "params"_a, "ordering"_a, "cuts"_a);
  s.def("pair_gains", pair_gains, "bins"_a, "labels"_a, "n_classes"_a, "weights"_a,
        "loss"_a, "min_samples_leaf"_a = 1);
  s.def("number_pair_gains", number_pair_gains, "bins"_a, "y"_a, "weights"_a,
        "min_samples_leaf"_a);
  s.def("divided_pair_gains", divided_pair_gains, "bins"_a, "labels"_a, "n_classes"_a,
        "weights"_a, "loss"_a, "left"_a, "right"_a);
}

}  // namespace dpdtree::python
