#include "search/training_set.hpp"

#include <numeric>

#include "base/error.hpp"
#include "data/encoder.hpp"
#include "loss/criterion.hpp"
#include "search/repeats.hpp"

namespace dpdtree {
namespace {

Targets class_targets(const TrainingData& data, const TreeParams& params,
                      ThreadPool& pool) {
  Targets targets = make_class_targets(data.labels, data.n_classes, data.weights, &pool,
                                       params.max_bins > 0);
  targets.costs = params.cost_matrix;
  const std::size_t k = targets.n_classes;
  if (criterion_of(params.loss) == Criterion::cost_matrix &&
      (targets.general || targets.costs.size() != k * k))
    throw InputError("the cost matrix does not fit the classes of y");
  return targets;
}

Targets number_targets(const TrainingData& data, const TreeParams& params) {
  const Criterion loss = criterion_of(params.loss),
                  criterion = criterion_of(params.criterion);
  RegressionForm form;
  form.n_outputs = data.n_outputs;
  form.log_sums = loss == Criterion::poisson || criterion == Criterion::poisson;
  // Only squares get lost beside a large mean; a quantile shall be one of the targets.
  form.centered =
      loss == Criterion::squared_error && criterion == Criterion::squared_error;
  // Quantiles shall be targets as they are.
  form.order_free = params.max_bins > 0 && !needs_rows(loss) && !needs_rows(criterion);
  Targets targets = make_regression_targets(data.y, data.weights, form);
  targets.quantile = params.quantile;
  return targets;
}

RowBuffer weighted_rows(const TrainingData& data, ThreadPool& pool) {
  RowBuffer rows(data.x.rows);
  for_pieces(&pool, rows.size(), n_pieces(&pool, rows.size()),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               std::iota(rows.data() + begin, rows.data() + end,
                         static_cast<Row>(begin));
             });
  if (data.weights != nullptr)
    std::erase_if(rows, [&](Row r) { return data.weights[r] == 0; });
  if (rows.empty()) throw InputError("no row has a positive weight");
  return rows;
}

// As the search sees them: bins by weight do not change with a common factor.
std::vector<double> weights_of(const TrainingData& data, const Targets& targets) {
  if (targets.weighted() || data.weights == nullptr) return targets.weight;
  std::vector<double> weights(data.weights, data.weights + data.x.rows);
  for (double& w : weights) w = w > 0 ? 1 : 0;
  return weights;
}

// See node_bins.hpp. Features drawn at random are searched one by one.
bool may_count_in_bins(const TrainingSet& set, const TreeParams& params) {
  constexpr u32 kMostClasses = 32;  // counts of more are too many to gain by them
  const Targets& t = set.targets;
  if (!params.use_bins || t.general || draws_features(params, set.columns().size()))
    return false;
  const Criterion criterion = criterion_of(params.criterion);
  if (!t.classification())
    return criterion == Criterion::squared_error && t.exact_moments;
  return (criterion == Criterion::gini || criterion == Criterion::entropy) &&
         t.n_classes >= 2 && t.n_classes <= kMostClasses && t.exact_weights;
}

// Greedy trees meet a node once, unless folds and prices take several trees; but sums
// in the bins of several features take longer than a hash.
bool pays_by_cache(const TrainingSet& set) {
  return set.coarse && !set.targets.classification() && !set.coarse->empty();
}

// See cell_counts.hpp.
bool may_count_cells(const TrainingSet& set, const TreeParams& params) {
  const Targets& t = set.targets;
  return params.use_bins && t.n_classes >= 2 && !t.weighted() && !t.general &&
         !draws_features(params, set.columns().size());
}

// Samples do, and what sums of numbers are rounded to. The paper's search of labels
// has neither.
bool minds_repeats(const TreeParams& params, const Targets& targets) {
  return params.strategy != "paper" || !targets.classification();
}

}  // namespace

Targets targets_of(const TrainingData& data, const TreeParams& params,
                   ThreadPool& pool) {
  return data.n_classes.empty() ? number_targets(data, params)
                                : class_targets(data, params, pool);
}

TrainingSet::TrainingSet(const TrainingData& data, const TreeParams& params,
                         StopToken& stop, ThreadPool& pool)
    : rows(weighted_rows(data, pool)),
      targets(targets_of(data, params, pool)),
      encoded(data.encoded != nullptr ? data.encoded : &own_columns) {
  if (data.encoded == nullptr) {
    const std::vector<double> weights = weights_of(data, targets);
    own_columns =
        encode(data.x, params.max_bins, weights.empty() ? nullptr : weights.data(),
               params.categorical, pool, stop);
    keys = make_scan_keys(own_columns, targets, pool);
  } else {
    keys.resize(columns().size());  // others use these columns too: no keys
  }
  if (params.strategy != "greedy" || draws_features(params, columns().size()) ||
      params.hash_rows)
    hasher.emplace();
  if (hasher && !stop.stopped() && minds_repeats(params, targets))
    count_repeats(columns(), rows, targets);
  if (criterion_of(params.loss) == Criterion::squared_error)
    targets.round_for_exact_sums(rows);
  if (may_count_in_bins(*this, params) && !stop.stopped())
    coarse.emplace(columns(), keys, targets, data.x.rows, pool);
  seconds = stop.seconds();
  if (!hasher && pays_by_cache(*this)) hasher.emplace();
  if (coarse && !coarse->empty() && hasher)
    bin_counts = std::make_unique<BinCountCache>(*coarse, targets);
  if (hasher && may_count_cells(*this, params))
    cell_counts = std::make_unique<CellCountCache>(
        columns(), coarse ? &*coarse : nullptr, targets);
}

}  // namespace dpdtree
