// Everything a fit builds before it searches: targets, columns, the root, what may be
// searched and what a tree costs.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>

#include "api/fit_tree.hpp"
#include "base/error.hpp"
#include "data/encoder.hpp"
#include "loss/registry.hpp"
#include "node/constraints.hpp"
#include "search/candidates/greedy.hpp"
#include "search/dynamic_program.hpp"

namespace dpdtree {

inline constexpr std::size_t kSplitMemoEntries = 1u << 19;

// Labels or numbers in the form that the loss and the criterion need.
inline Targets make_targets(const TrainingData& data, const TreeParams& params,
                            ThreadPool& pool) {
  if (!data.n_classes.empty()) {
    Targets targets =
        make_class_targets(data.labels, data.n_classes, data.weights, &pool);
    targets.costs = params.cost_matrix;
    const std::size_t k = targets.n_classes;
    if (criterion_of(params.loss) == Criterion::cost_matrix &&
        (targets.general || targets.costs.size() != k * k))
      throw InputError("the cost matrix does not fit the classes of y");
    return targets;
  }
  const Criterion loss = criterion_of(params.loss),
                  criterion = criterion_of(params.criterion);
  RegressionForm form;
  form.n_outputs = data.n_outputs;
  form.log_sums = loss == Criterion::poisson || criterion == Criterion::poisson;
  // Only squares get lost beside a large mean; a quantile shall be one of the targets.
  form.centered =
      loss == Criterion::squared_error && criterion == Criterion::squared_error;
  Targets targets = make_regression_targets(data.y, data.weights, form);
  targets.quantile = params.quantile;
  return targets;
}

inline Complexity complexity_of(const std::string& name) {
  if (name == "path_length") return Complexity::path_length;
  if (name == "n_leaves") return Complexity::n_leaves;
  throw InputError("unknown complexity '" + name + "'");
}

inline std::unique_ptr<Generator> generator_of(const std::string& name) {
  if (name == "cart") return make_cart_generator();
  if (name == "exhaustive") return make_exhaustive_generator();
  if (name == "top_b") return make_top_b_generator(false);
  if (name == "top_b_per_feature") return make_top_b_generator(true);
  throw InputError("unknown generator '" + name + "'");
}

inline u32 limit_of(i64 value) {
  return value < 0 ? std::numeric_limits<u32>::max() : static_cast<u32>(value);
}

inline RowBuffer weighted_rows(const TrainingData& data, ThreadPool& pool) {
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

// Members refer to one another.
class PreparedFit {
 public:
  PreparedFit(const TrainingData& data, const TreeParams& params, StopToken& stop,
              ThreadPool& pool)
      : params_(params),
        stop_(stop),
        pool_(pool),
        rows_(weighted_rows(data, pool)),
        columns_(data.encoded != nullptr ? *data.encoded : own_columns_) {
    targets_ = make_targets(data, params, pool);
    if (data.encoded == nullptr) {
      own_columns_ =
          encode(data.x, params.max_bins, data.weights, params.categorical, pool, stop);
      keys_ = make_scan_keys(own_columns_, targets_, pool);
    } else {
      keys_.resize(columns_.size());  // others use these columns too: no keys
    }
    if (may_count_in_bins() && !stop.stopped())
      coarse_.emplace(columns_, keys_, data.x.rows, pool);
    seconds_encode_ = stop.seconds();
    const bool sampled = finder_params().max_features < columns_.size();
    if (params.strategy != "greedy" || sampled) hasher_.emplace();
    if (coarse_ && hasher_) bin_counts_ = std::make_unique<BinCountCache>(*coarse_);
    problem_.emplace(Problem{columns_, targets_, hasher_ ? &*hasher_ : nullptr, &pool});
    root_stats_.resize(targets_.stats_width());
    root_ = make_node(*problem_, rows_, root_stats_.data());
    rules_ = make_rules();
    root_.constraints = root_constraints(rules_);
    prepare_search();
    cost_ = make_cost();
  }
  PreparedFit(const PreparedFit&) = delete;
  PreparedFit& operator=(const PreparedFit&) = delete;

 protected:
  // See node_bins.hpp. Features drawn at random are searched one by one.
  bool may_count_in_bins() const {
    return params_.use_bins && criterion_of(params_.criterion) == Criterion::gini &&
           targets_.n_classes == 2 && !targets_.weighted() && !targets_.general &&
           limit_of(params_.max_features) >= columns_.size();
  }

  FinderParams finder_params() const {
    FinderParams p;
    p.criterion = criterion_of(params_.criterion);
    p.limits = limits_;
    p.max_features = limit_of(params_.max_features);
    p.seed = params_.seed;
    p.coarse = coarse_ ? &*coarse_ : nullptr;
    p.bin_counts = bin_counts_.get();
    p.pool = &pool_;
    return p;
  }

  void prepare_search() {
    limits_.min_samples_split = params_.min_samples_split;
    limits_.min_samples_leaf = params_.min_samples_leaf;
    limits_.min_weight_leaf = params_.min_weight_leaf / targets_.weight_scale;
    if (params_.min_impurity_decrease > 0)  // else 0, even if the unit underflows
      limits_.min_decrease =
          params_.min_impurity_decrease / impurity_unit() * root_.weight;
    add_finder(SearchTarget::criterion, criterion_of(params_.criterion));
    if (params_.use_split_memo && hasher_) memo_.emplace(kSplitMemoEntries);
    pool_scratch_.resize(pool_.size());
    for (unsigned i = 0; i < pool_.size(); ++i)
      workers_.push_back(std::unique_ptr<Worker>(new Worker{{*problem_,
                                                             finders_,
                                                             limits_,
                                                             memo_ ? &*memo_ : nullptr,
                                                             stop_,
                                                             StopPoller(stop_),
                                                             &pool_scratch_,
                                                             {},
                                                             {},
                                                             {}},
                                                            {},
                                                            {}}));
  }

  void add_finder(SearchTarget aim, Criterion criterion, double threshold_price = 0) {
    if (criterion == Criterion::entropy || criterion == Criterion::log_loss)
      targets_.make_xlogx_table();
    FinderParams p = finder_params();
    p.criterion = criterion;
    p.threshold_price = threshold_price;
    finders_[aim] = {make_split_finder(columns_, keys_, targets_, p), criterion};
  }

  ConstraintRules make_rules() const {
    ConstraintRules rules;
    rules.n_features = columns_.size();
    rules.monotonic = params_.monotonic;
    rules.groups = params_.interaction_groups;
    if (!same_features_everywhere())
      for (const auto& features : params_.allowed_features)
        rules.allowed.push_back(mask_of(features));
    rules.cost = params_.feature_costs;
    for (double& cost : rules.cost)
      cost /= unit_of(criterion_of(params_.loss), targets_);
    rules.loss = criterion_of(params_.loss);
    rules.classes = targets_.classification();
    return rules;
  }

  FeatureMask mask_of(const std::vector<u32>& features) const {
    if (features.empty()) return {};
    FeatureMask mask(columns_.size(), 0);
    for (const u32 f : features) mask[f] = 1;
    return mask;
  }

  // Then no node needs to know: the list of features is a shorter one from the start.
  bool same_features_everywhere() const {
    const auto& by_depth = params_.allowed_features;
    return !by_depth.empty() && !by_depth[0].empty() &&
           by_depth.size() >= limit_of(params_.max_depth) &&
           limit_of(params_.max_features) >= columns_.size() &&
           std::all_of(by_depth.begin(), by_depth.end(),
                       [&](const auto& features) { return features == by_depth[0]; });
  }

  const Cost& cost() const { return cost_; }

  // For levels that are solved exhaustively. Decreases of entropy are in bits.
  void add_loss_finder() {
    const double unit = cost_.loss == Criterion::log_loss ? std::numbers::ln2 : 1;
    add_finder(SearchTarget::loss, cost_.loss, cost_.threshold_price() / unit);
  }

  Cost make_cost() {
    Cost c;
    c.targets = &targets_;
    c.loss = criterion_of(params_.loss);
    c.criterion = criterion_of(params_.criterion);
    c.complexity = complexity_of(params_.complexity);
    c.alpha = params_.alpha;
    c.total_weight = root_.weight;
    c.loss_unit = unit_of(c.loss, targets_);
    c.impurity_unit = impurity_unit();
    if (!params_.mdl) return c;
    c.complexity = Complexity::description;
    c.alpha = 0;
    c.log_features = std::log(static_cast<double>(columns_.size()));
    c.price_per_nat = price_per_nat(c.loss);
    return c;
  }

  // What a split of a middling feature costs by its description: the look-ahead, which
  // knows no features, charges it for each split.
  double typical_price() {
    double sum = 0;
    Split split;
    for (split.feature = 0; split.feature < columns_.size(); ++split.feature)
      sum += cost_.price(workers_[0]->context, root_, split);
    return columns_.empty() ? 0 : sum / static_cast<double>(columns_.size());
  }

  // What one unit of ln p + ln T costs: half an error, or one nat. An error is that of
  // one row (see row_weight). Of a regression loss a nat is worth what makes the noise
  // about the greedy tree most likely: twice the variance of squared errors, twice the
  // mean half deviance, the mean of absolute errors and quantiles.
  double price_per_nat(Criterion loss) {
    const double row = row_weight();
    switch (loss_info(loss).mdl) {
      case MdlRule::half_row:
        return row / 2;
      case MdlRule::row:
        return row;
      case MdlRule::half_mistake:
        return row / 2 * mean_mistake();
      case MdlRule::noise:
        return row * noise(loss, root_.weight / row);
      case MdlRule::twice_noise:
        return 2 * row * noise(loss, root_.weight / row);
    }
    return row;
  }

  // What one wrong answer costs more than the best, for rows and answers at random.
  double mean_mistake() const {
    const std::size_t k = targets_.n_classes;
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const auto row = std::span(targets_.costs).subspan(i * k, k);
      const double least = *std::min_element(row.begin(), row.end());
      sum += root_.stats[i] * (std::accumulate(row.begin(), row.end(), 0.0) -
                               static_cast<double>(k) * least);
    }
    return k > 1 ? sum / root_.weight / static_cast<double>(k - 1) : 0;
  }

  // The weight of one row. Whole weights count how often a row is there; any others
  // tell shares, and their mean is that of one row.
  double row_weight() const {
    if (!targets_.weighted()) return 1;
    const auto whole = [&](Row r) {
      const double w = targets_.weight[r] * targets_.weight_scale;
      return w == std::floor(w);
    };
    if (std::all_of(rows_.begin(), rows_.end(), whole))
      return 1 / targets_.weight_scale;
    return root_.weight / static_cast<double>(rows_.size());
  }

  // The mean loss of a row and output in the greedy tree of these limits, one degree of
  // freedom less per leaf.
  double noise(Criterion loss, double n) {
    const GreedyGrower grower = grow_greedy();
    double residual = 0, leaves = 0;
    for (const GreedyNode& node : grower.nodes()) {
      if (node.left >= 0) continue;
      residual += impurity_sum(loss, targets_, node.view.rows, node.view.stats) +
                  excess_of_bounds(loss, node.view);
      ++leaves;
    }
    if (n <= leaves) return 0;
    return residual / root_.weight / targets_.n_outputs * (n / (n - leaves));
  }

  GreedyGrower grow_greedy() {
    GreedyLimits limits;
    limits.max_depth = limit_of(params_.max_depth);
    if (params_.max_leaf_nodes > 0)
      limits.max_splits = static_cast<u32>(params_.max_leaf_nodes - 1);
    GreedyGrower grower(workers_[0]->context);
    NodeView root = root_;
    root.constraints = made_strict(root_.constraints);
    grower.grow(root, all_features(), limits);
    return grower;
  }

  // Impurities are means over outputs, as scikit-learn has them; losses are sums.
  double impurity_unit() const {
    return unit_of(criterion_of(params_.criterion), targets_) / targets_.n_outputs;
  }

  FeatureList all_features() const {
    if (same_features_everywhere())
      return std::make_shared<const std::vector<u32>>(params_.allowed_features[0]);
    auto features = std::make_shared<std::vector<u32>>(columns_.size());
    std::iota(features->begin(), features->end(), 0u);
    return features;
  }

  const TreeParams& params_;
  StopToken& stop_;
  ThreadPool& pool_;
  RowBuffer rows_;
  Targets targets_;
  std::vector<Column> own_columns_;
  const std::vector<Column>& columns_;
  std::vector<ScanKeys> keys_;
  std::optional<CoarseCodes> coarse_;
  std::unique_ptr<BinCountCache> bin_counts_;
  double seconds_encode_ = 0;
  std::optional<RowHasher> hasher_;
  std::optional<Problem> problem_;
  std::vector<double> root_stats_;
  ConstraintRules rules_;
  NodeView root_;
  SplitLimits limits_;
  Cost cost_;
  Finders finders_;
  std::optional<SplitMemo> memo_;
  std::vector<SplitScratch> pool_scratch_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace dpdtree
