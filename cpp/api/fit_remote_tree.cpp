#include "api/fit_remote_tree.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "api/report.hpp"
#include "base/error.hpp"
#include "prove/exact_search.hpp"
#include "search/folds.hpp"
#include "search/strategies.hpp"
#include "search/tuning.hpp"

namespace dpdtree {
namespace {

// A run of the search with what is known so far; nothing if it had to give up.
std::optional<FitResult> run(const Search& search, const FitHooks& hooks) {
  Trace trace(search, hooks);
  OptimalResult found = find_tree(search, trace.watch());
  const Tuned tuned = tuned_without_noise(search, found.solution.plan);
  if (tuned.one_leaf()) found = {};
  FitResult result = report_of(search, found, trace);
  result.tuned = tuned;
  return result;
}

// Bottoms and pairs of questions are searched over rows: see `polished` in
// search/polish.hpp and `prove_by_pairs` in search/strategies.cpp.
bool ends_exactly(const Targets& t, const TreeParams& p, const TableSize& size) {
  const bool constrained =
      !p.monotonic.empty() || !p.interaction_groups.empty() || !p.feature_costs.empty();
  const bool may = p.strategy == "balanced" &&
                   criterion_of(p.loss) == Criterion::zero_one && !t.general &&
                   !p.mdl && p.max_leaf_nodes <= 0 && p.categorical.empty() &&
                   !constrained && (p.max_depth < 0 || p.max_depth >= 2) &&
                   p.min_impurity_decrease <= 0;
  if (!may) return false;
  std::vector<Column> columns(size.n_codes.size());
  std::vector<u32> features(columns.size());
  std::iota(features.begin(), features.end(), 0u);
  for (const u32 f : features) columns[f].n_values = size.n_codes[f];
  // Of some of the features there may be few, too.
  return size.rows <= p.most_exact_rows || !p.allowed_features.empty() ||
         few_cuts(columns, features);
}

bool tunes_by_folds(const TreeParams& p) {
  return std::max<std::size_t>(1, p.price_scales.size()) *
             std::max<std::size_t>(1, p.shrinkages.size()) >
         1;
}

}  // namespace

std::string needs_all_rows(const Targets& t, const TreeParams& p,
                           const TableSize& size) {
  const Criterion loss = criterion_of(p.loss), criterion = criterion_of(p.criterion);
  if (p.strategy == "optimal") return "strategy=\"optimal\" proves row by row";
  if (ends_exactly(t, p, size))
    return "strategy=\"balanced\" ends with exact searches, row by row";
  if (needs_rows(loss) || needs_rows(criterion))
    return "the loss of a leaf depends on each of its rows";
  if (!p.forced_splits.empty()) return "forced splits are checked against the rows";
  if (draws_features(p, size.n_codes.size()))
    return "max_features draws by the rows of a node";
  if (!t.order_free) return "the weights are too far apart for sums without rounding";
  if (!tunes_by_folds(p)) return "";
  if (t.weights_count && (t.weighted() || t.weight_scale != 1))
    return "weights count copies of rows, which folds share out";
  if (!t.classification() && loss != Criterion::squared_error)
    return "folds are scored row by row with this loss";
  return "";
}

RemoteTreeFit::RemoteTreeFit(std::vector<Column> columns, Targets units,
                             TreeParams params)
    : columns_(std::move(columns)),
      units_(std::move(units)),
      params_(std::move(params)),
      known_(columns_, units_) {
  refuse(~u64{0});
}

void RemoteTreeFit::refuse(u64 n_rows) const {
  TableSize size{n_rows, {}};
  for (const Column& column : columns_) size.n_codes.push_back(column.n_values);
  const std::string reason = needs_all_rows(units_, params_, size);
  if (!reason.empty())
    throw InputError("This tree cannot be searched where its rows are: " + reason +
                     ".");
}

bool RemoteTreeFit::wants_runs() const {
  return params_.strategy == "balanced" && units_.whole_weights;
}

void RemoteTreeFit::take_runs(const std::vector<RowRuns>& parts) {
  RowRuns all;
  for (const RowRuns& part : parts) all.append(part);
  all.keep(units_);
}

bool RemoteTreeFit::wants_folds() const { return tunes_by_folds(params_); }

const NodeFacts& RemoteTreeFit::root(const Ask& ask) {
  const NodeFacts* known = known_.find(nullptr);
  if (known == nullptr) known_.take(ask(known_.request()));
  known = known_.find(nullptr);
  if (known->n == 0) throw InputError("no row has a positive weight");
  refuse(known->n);
  return *known;
}

std::vector<std::vector<u32>> RemoteTreeFit::ranks(const Ask& ask) {
  return ranks_for_folds(columns_, root(ask).cells);
}

FitResult RemoteTreeFit::fit(const Ask& ask, const FitHooks& hooks) {
  StopToken stop(params_.time_limit, heartbeats(hooks, stop));
  ThreadPool pool(1, [&] { stop.poll(); });
  known_.ask = ask;
  root(ask);
  for (;;) {
    known_.begin_run();
    stop.poll();  // small nodes take too little time to look at the clock
    std::optional<FitResult> result;
    try {
      const auto search = prepare(columns_, units_, known_, params_, stop, pool);
      result = run(*search, hooks);
    } catch (const Unanswered&) {
      result.reset();
    }
    throw_if_interrupted(stop);
    // When the time is up, nodes that are not known stay leaves.
    if (result && (known_.complete() || stop.stopped())) return *std::move(result);
    known_.take(ask(known_.request()));
  }
}

}  // namespace dpdtree
