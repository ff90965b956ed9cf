#include "api/report.hpp"

#include <algorithm>
#include <utility>

#include "base/tolerance.hpp"
#include "search/extract.hpp"

namespace dpdtree {
namespace {

// A tree without splits has one leaf, for which the search charges nothing.
double price_of_first_leaf(const Cost& c, double weight) {
  return c.complexity == Complexity::n_leaves ? c.penalty(weight) : 0;
}

// What any tree costs at least, per unit of weight.
double least_objective(const Search& s, double proven_bound) {
  const Cost& c = s.objective;
  const double least = std::max(proven_bound, c.least(s.root, s.max_depth()));
  return (least + price_of_first_leaf(c, s.root.weight)) / s.root.weight;
}

}  // namespace

void Trace::add(Progress progress) {
  const Cost& c = s_.objective;
  // Sums of the search → what the caller calls objective.
  const auto normalised = [&](double sum) {
    const double one_leaf = c.complexity == Complexity::n_leaves ? c.alpha : 0;
    return sum / s_.root.weight * c.loss_unit + one_leaf;
  };
  points_.push_back({s_.stop.seconds(), normalised(progress.objective),
                     normalised(progress.lower_bound)});
  if (hooks_.progress && !hooks_.progress(points_.back()))
    s_.stop.request(StopReason::callback);
}

FitResult report_of(const Search& s, const OptimalResult& found, const Trace& trace) {
  Extracted tree = extract(s, s.objective, found.solution.plan);
  FitResult out;
  out.loss = tree.loss;
  out.complexity = tree.complexity;
  out.feature_cost = tree.feature_cost;
  out.objective = tree.objective;
  const double least = least_objective(s, found.lower_bound);
  const double slack =
      kRounding * std::max(least, s.objective.leaf_loss(s.root) / s.root.weight);
  out.is_optimal = found.proven || tree.scaled_objective <= least + slack;
  out.trace = trace.points();
  if (out.is_optimal)
    out.lower_bound = out.objective;
  else if (s.strategy == Strategy::optimal)
    out.lower_bound =
        std::min(std::max(least, 0.0) * s.objective.loss_unit, out.objective);
  fill_report(s, out);
  out.tree = std::move(tree.tree);
  return out;
}

void fill_report(const Search& s, SearchReport& out) {
  for (const auto& worker : s.workers) out.counters.add(worker->context.counters);
  out.seconds_encode = s.set.seconds;
  out.seconds_solve = s.stop.seconds() - s.set.seconds;
  if (s.stop.reason() == StopReason::time_limit) out.stop_reason = "time_limit";
  if (s.stop.reason() == StopReason::callback) out.stop_reason = "callback";
  const std::vector<Column>& columns = s.problem.columns;
  for (u32 f = 0; f < columns.size(); ++f)
    if (columns[f].n_missing > 0) out.features_with_missing.push_back(f);
}

}  // namespace dpdtree
