#include "api/fit_tree.hpp"

#include <algorithm>
#include <limits>

#include "api/strategies.hpp"
#include "prove/optimal.hpp"

namespace dpdtree {
namespace {

constexpr u32 kAllLevels = std::numeric_limits<u32>::max();

// One call: the strategy, the proof if there is one, and the report.
class Session : private Strategies {
 public:
  using Strategies::Strategies;

  FitResult fit(std::function<bool(const TracePoint&)> progress) {
    progress_ = std::move(progress);
    Solution solution;
    solution.plan = {PlanNode{}};
    if (!stop_.stopped())
      solution = params_.strategy == "greedy"     ? solve_greedy()
                 : params_.strategy == "paper"    ? solve_paper()
                 : params_.strategy == "balanced" ? solve_balanced()
                                                  : solve_to_optimality();
    if (stop_.reason() == StopReason::interrupted) throw Interrupted();
    return report(extracted(solution));
  }

  PathResult path(PathKind kind) {
    Cost pure = cost();
    pure.alpha = 0;
    if (pure.is_mdl()) pure.complexity = complexity_of(params_.complexity);
    cost_ = pure;
    const bool by_alpha = kind == PathKind::alpha;
    const std::vector<Solution> front =
        by_alpha ? solve_front(AlphaHull(pure, root_))
                 : solve_front(LeafBudgetFront(pure, root_, most_leaves()));
    if (stop_.reason() == StopReason::interrupted) throw Interrupted();
    std::vector<Extracted> trees;
    for (const Solution& solution : front) trees.push_back(extracted(solution));
    const Extracted& end = trees.back();
    const double least = end.loss + end.feature_cost;
    if (by_alpha)
      std::erase_if(trees, [&](const Extracted& t) { return below(t, least); });
    PathResult out;
    out.points = by_alpha ? alpha_path(std::move(trees)) : leaf_path(std::move(trees));
    fill(out);
    return out;
  }

  std::vector<CandidateSplit> candidates(u32 n) {
    const auto generator = generator_of(params_.generator);
    FeatureList features = all_features();
    SearchContext& context = workers_[0]->context;
    std::vector<CandidateSplit> out;
    std::vector<double> stats(2 * targets_.stats_width());
    std::vector<Row> rows(rows_.size());
    for (Split split :
         generator->candidates(context, root_, features, n, kAllLevels, nullptr)) {
      const Children c =
          split_node(*problem_, root_, split, rows.data(), context.spare_rows,
                     stats.data(), stats.data() + targets_.stats_width());
      const double decrease =
          cost().impurity(root_) - cost().impurity(c.left) - cost().impurity(c.right);
      out.push_back({split.feature, split.threshold, split.missing == Missing::left,
                     decrease / root_.weight * impurity_unit()});
    }
    return out;
  }

 private:
  // CART grown best-first to that many leaves, cut back where the objective gains.
  Solution solve_with_leaf_limit() {
    add_loss_finder();
    return solution_of(
        prune_greedy(workers_[0]->context, grow_greedy(), ScalarValue(cost(), root_)));
  }

  Solution solve_briefly() {
    add_loss_finder();
    SolverParams p;
    p.max_depth = limit_of(params_.max_depth);
    return solution_of(Solver<ScalarValue>(p, ScalarValue(cost(), root_),
                                           *make_cart_generator(), nullptr, workers_,
                                           pool_)
                           .solve(root_, all_features()));
  }

  Solution solve_to_optimality() {
    // A few levels are proven sooner than with the balanced tree to start from; but if
    // something may stop the proof, that tree must be there.
    const bool quick = params_.max_depth <= 3 && params_.max_depth >= 0 &&
                       params_.time_limit < 0 && !progress_;
    const bool limited = params_.max_leaf_nodes > 0;
    const Solution start = limited ? solve_with_leaf_limit()
                           : quick ? solve_briefly()
                                   : solve_balanced();
    const Cost c = cost();
    add_to_trace({start.value.objective, proven_ ? start.value.objective : 0});
    if (stop_.stopped() || proven_) return start;
    const auto report = [&](Progress p) {
      if (p.objective < last_.objective || p.lower_bound > last_.lower_bound)
        add_to_trace(p);
    };
    if (!params_.categorical.empty())
      throw InputError("optimality cannot be proven with categorical features");
    OptimalParams p = optimal_params(c);
    if (limited) p.max_leaves = static_cast<u64>(params_.max_leaf_nodes);
    const OptimalResult result =
        solve_optimal(workers_[0]->context, p, root_, all_features(), start, report);
    keep_proof(result);
    return result.solution;
  }

  void add_to_trace(Progress p) {
    last_ = p;
    trace_.push_back(
        {stop_.seconds(), normalised(p.objective), normalised(p.lower_bound)});
    if (progress_ && !progress_(trace_.back())) stop_.request(StopReason::callback);
  }

  FitResult report(Extracted extracted) const {
    FitResult out;
    out.loss = extracted.loss;
    out.complexity = extracted.complexity;
    out.feature_cost = extracted.feature_cost;
    out.objective = extracted.objective;
    const Cost c = cost();
    const double one_leaf = c.complexity == Complexity::n_leaves ? 1 : 0;
    const double least =
        (std::max(proven_bound_, c.least(root_, limit_of(params_.max_depth))) +
         one_leaf * c.penalty(root_.weight)) /
        root_.weight;
    const double slack = 1e-12 * std::max(least, c.leaf_loss(root_) / root_.weight);
    out.is_optimal = proven_ || extracted.scaled_objective <= least + slack;
    out.trace = trace_;
    if (out.is_optimal)
      out.lower_bound = out.objective;
    else if (least > 0)
      out.lower_bound = std::min(least * c.loss_unit, out.objective);
    fill(out);
    out.tree = std::move(extracted.tree);
    return out;
  }

  void fill(SearchReport& out) const {
    for (const auto& w : workers_) out.counters.add(w->context.counters);
    out.seconds_encode = seconds_encode_;
    out.seconds_solve = stop_.seconds() - seconds_encode_;
    if (stop_.reason() == StopReason::time_limit) out.stop_reason = "time_limit";
    if (stop_.reason() == StopReason::callback) out.stop_reason = "callback";
    for (u32 f = 0; f < columns_.size(); ++f)
      if (columns_[f].n_missing > 0) out.features_with_missing.push_back(f);
  }

  // Sums of the solver → what the caller calls objective.
  double normalised(double sum) const {
    const Cost c = cost();
    const double one_leaf = c.complexity == Complexity::n_leaves ? c.alpha : 0;
    return sum / root_.weight * c.loss_unit + one_leaf;
  }

  std::function<bool(const TracePoint&)> progress_;
  std::vector<TracePoint> trace_;
  Progress last_{0, 0};
};

}  // namespace

std::vector<Column> encode_columns(const TrainingData& data, const TreeParams& params,
                                   const FitHooks& hooks) {
  StopToken stop(params.time_limit, hooks.interrupt);
  ThreadPool pool(params.n_threads, [&] { stop.poll(); });
  std::vector<Column> columns =
      encode(data.x, params.max_bins, data.weights, params.categorical, pool, stop);
  if (stop.reason() == StopReason::interrupted) throw Interrupted();
  if (stop.stopped()) columns.clear();
  return columns;
}

FitResult fit_tree(const TrainingData& data, const TreeParams& params,
                   const FitHooks& hooks) {
  StopToken stop(params.time_limit, hooks.interrupt);
  ThreadPool pool(params.n_threads, [&] { stop.poll(); });
  Session session(data, params, stop, pool);
  FitResult result = session.fit(hooks.progress);
  pool.dismiss();
  return result;
}

PathResult fit_path(const TrainingData& data, const TreeParams& params, PathKind kind,
                    const FitHooks& hooks) {
  StopToken stop(params.time_limit, hooks.interrupt);
  ThreadPool pool(params.n_threads, [&] { stop.poll(); });
  return Session(data, params, stop, pool).path(kind);
}

std::vector<CandidateSplit> root_candidates(const TrainingData& data,
                                            const TreeParams& params, u32 n) {
  StopToken stop(-1, {});
  ThreadPool pool(1);
  return Session(data, params, stop, pool).candidates(n);
}

}  // namespace dpdtree
