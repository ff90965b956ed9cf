#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "search/description_price.hpp"
#include "search/search.hpp"
#include "search/tuning.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kSplitMemoEntries = 1u << 19;

Strategy strategy_of(const std::string& name) {
  if (name == "greedy") return Strategy::greedy;
  if (name == "paper") return Strategy::paper;
  if (name == "balanced") return Strategy::balanced;
  if (name == "optimal") return Strategy::optimal;
  throw InputError("unknown strategy '" + name + "'");
}

Complexity complexity_of(const std::string& name) {
  if (name == "path_length") return Complexity::path_length;
  if (name == "n_leaves") return Complexity::n_leaves;
  throw InputError("unknown complexity '" + name + "'");
}

// Then no node needs to know: the list of features is a shorter one from the start.
bool same_features_everywhere(const TreeParams& params, std::size_t n_features) {
  const auto& by_depth = params.allowed_features;
  return !by_depth.empty() && !by_depth[0].empty() &&
         by_depth.size() >= limit_of(params.max_depth) &&
         !draws_features(params, n_features) &&
         std::all_of(by_depth.begin(), by_depth.end(),
                     [&](const auto& features) { return features == by_depth[0]; });
}

FeatureList features_of(const TreeParams& params, std::size_t n_features) {
  if (same_features_everywhere(params, n_features))
    return std::make_shared<const std::vector<u32>>(params.allowed_features[0]);
  auto features = std::make_shared<std::vector<u32>>(n_features);
  std::iota(features->begin(), features->end(), 0u);
  return features;
}

FeatureMask mask_of(const std::vector<u32>& features, std::size_t n_features) {
  if (features.empty()) return {};
  FeatureMask mask(n_features, 0);
  for (const u32 f : features) mask[f] = 1;
  return mask;
}

ConstraintRules rules_of(const TreeParams& params, const TrainingSet& set) {
  ConstraintRules rules;
  const std::size_t n_features = set.columns().size();
  rules.n_features = n_features;
  rules.monotonic = params.monotonic;
  rules.groups = params.interaction_groups;
  if (!same_features_everywhere(params, n_features))
    for (const auto& features : params.allowed_features)
      rules.allowed.push_back(mask_of(features, n_features));
  rules.cost = params.feature_costs;
  for (double& cost : rules.cost)
    cost /= unit_of(criterion_of(params.loss), set.targets);
  rules.loss = criterion_of(params.loss);
  rules.classes = set.targets.classification();
  return rules;
}

// Impurities are means over outputs, as scikit-learn has them; losses are sums.
double impurity_unit(const SearchParts& s) {
  const Targets& t = s.set.targets;
  return unit_of(criterion_of(s.params.criterion), t) / t.n_outputs;
}

SplitLimits limits_of(const SearchParts& s) {
  SplitLimits limits;
  limits.min_samples_split = s.params.min_samples_split;
  limits.min_samples_leaf = s.params.min_samples_leaf;
  // Less what the division may have rounded up, so that a leaf that just reaches the
  // limit does so whatever the unit of weights.
  limits.min_weight_leaf =
      s.params.min_weight_leaf / s.set.targets.weight_scale * (1 - kRounding);
  if (s.params.min_impurity_decrease > 0)  // else 0, even if the unit underflows
    limits.min_decrease =
        s.params.min_impurity_decrease / impurity_unit(s) * s.root.weight;
  return limits;
}

std::unique_ptr<SplitFinder> make_finder(SearchParts& s, const Finders::Spec& spec) {
  // Read by finders of these criteria alone, so that none of them is there yet.
  if (spec.criterion == Criterion::entropy || spec.criterion == Criterion::log_loss)
    s.set.targets.make_xlogx_table();
  FinderParams p;
  p.criterion = spec.criterion;
  p.threshold_price = spec.threshold_price;
  p.row_weight = spec.row_weight;
  p.limits = s.limits;
  p.max_features = limit_of(s.params.max_features);
  p.seed = s.params.seed;
  p.coarse = s.set.coarse ? &*s.set.coarse : nullptr;
  p.bin_counts = s.set.bin_counts.get();
  p.cell_counts = s.set.cell_counts.get();
  p.pool = &s.pool;
  return make_split_finder(s.set.columns(), s.set.keys, s.set.targets, p);
}

Cost objective_of(const Search& s) {
  Cost c;
  c.targets = &s.set.targets;
  c.loss = criterion_of(s.params.loss);
  c.criterion = criterion_of(s.params.criterion);
  c.complexity = complexity_of(s.params.complexity);
  c.alpha = s.params.alpha;
  c.total_weight = s.root.weight;
  c.loss_unit = unit_of(c.loss, s.set.targets);
  c.impurity_unit = impurity_unit(*s.parts);
  if (!s.params.mdl) return c;
  c.complexity = Complexity::description;
  c.alpha = 0;
  c.log_features = std::log(static_cast<double>(s.problem.columns.size()));
  c.price_per_nat = price_per_nat(s, c.loss);
  return c;
}

// Where descriptions are charged, those of sets of categories already are when splits
// are proposed.
double set_charge(const Search& s) { return s.params.mdl ? row_weight(s) : 0; }

// The criterion, another one for more variety, and the loss, for levels that are solved
// exhaustively. Decreases of entropy are in bits.
void set_finders(const Search& s) {
  Finders& finders = s.parts->finders;
  const Criterion criterion = s.objective.criterion;
  const double row = set_charge(s);
  finders.set(SearchTarget::criterion, {criterion, 0, row});
  if (s.set.targets.classification())
    finders.set(
        SearchTarget::second,
        {criterion == Criterion::gini ? Criterion::entropy : Criterion::gini, 0, row});
  const double unit = s.objective.loss == Criterion::log_loss ? std::numbers::ln2 : 1;
  finders.set(SearchTarget::loss,
              {s.objective.loss, s.objective.threshold_price() / unit});
}

void make_workers(SearchParts& s) {
  if (s.params.use_split_memo && s.set.hasher) s.memo.emplace(kSplitMemoEntries);
  s.pool_scratch.resize(s.pool.size());
  for (unsigned i = 0; i < s.pool.size(); ++i)
    s.workers.push_back(
        std::make_unique<Worker>(SearchContext{s.source(),
                                               s.problem,
                                               s.finders,
                                               s.limits,
                                               s.memo ? &*s.memo : nullptr,
                                               s.stop,
                                               StopPoller(s.stop),
                                               &s.pool_scratch,
                                               {},
                                               {},
                                               {}}));
}

}  // namespace

SearchParts::SearchParts(const TrainingData& data, const TreeParams& p,
                         StopToken& stop_token, ThreadPool& threads)
    : params(p),
      stop(stop_token),
      pool(threads),
      set(data, params, stop, pool),
      problem{set.columns(), set.targets, set.hasher ? &*set.hasher : nullptr, &pool},
      features(features_of(params, set.columns().size())),
      root_stats(set.targets.stats_width()),
      root(make_node(problem, set.rows, root_stats.data())),
      rules(rules_of(params, set)),
      finders([this](const Finders::Spec& spec) { return make_finder(*this, spec); }),
      local(problem, finders) {
  if (params.replay_nodes) replayed.emplace(problem, finders, set.rows);
  root.constraints = root_constraints(rules);
  limits = limits_of(*this);
  make_workers(*this);
}

SearchParts::SearchParts(const std::vector<Column>& columns, const Targets& units,
                         KnownNodes& known, const TreeParams& p, StopToken& stop_token,
                         ThreadPool& threads)
    : params(p),
      stop(stop_token),
      pool(threads),
      set(columns, units),
      problem{set.columns(), set.targets, nullptr, &pool},
      features(features_of(params, columns.size())),
      root_stats(set.targets.stats_width()),
      rules(rules_of(params, set)),
      finders([this](const Finders::Spec& spec) { return make_finder(*this, spec); }),
      local(problem, finders),
      remote(std::in_place, problem, finders, known),
      elsewhere(&*remote) {
  root = remote->root(nullptr, root_stats.data());
  root.constraints = root_constraints(rules);
  limits = limits_of(*this);
  make_workers(*this);
}

Search::Search(const std::shared_ptr<SearchParts>& shared)
    : parts(shared),
      params(shared->params),
      strategy(strategy_of(shared->params.strategy)),
      stop(shared->stop),
      pool(shared->pool),
      set(shared->set),
      problem(shared->problem),
      rules(shared->rules),
      limits(shared->limits),
      finders(shared->finders),
      workers(shared->workers),
      features(shared->features),
      root(shared->root),
      leaf_limit(limits_leaves() ? static_cast<u64>(params.max_leaf_nodes) : ~0ULL),
      depth_limit(limit_of(params.max_depth)) {}

namespace {

// Nothing that follows makes sense where answers are lacking.
void check_answers(const SearchParts& parts) {
  if (parts.elsewhere != nullptr && !parts.elsewhere->known().complete() &&
      !parts.stop.stopped())
    throw Unanswered();
}

std::unique_ptr<const Search> prepared(const std::shared_ptr<SearchParts>& parts,
                                       const TrainingData& data) {
  const TreeParams& params = parts->params;
  // The price of a description may need a greedy tree, and so this finder.
  auto search = std::make_unique<Search>(parts);
  parts->finders.set(SearchTarget::criterion,
                     {criterion_of(params.criterion), 0, set_charge(*search)});
  search->objective = objective_of(*search);
  check_answers(*parts);
  set_finders(*search);
  search->tuned = tune(*search, data);
  if (search->tuned.price_scale != 1 && !search->tuned.one_leaf()) {
    search->objective.price_per_nat *= search->tuned.price_scale;
    set_finders(*search);
  }
  check_answers(*parts);
  return search;
}

}  // namespace

std::unique_ptr<const Search> prepare(const TrainingData& data,
                                      const TreeParams& params, StopToken& stop,
                                      ThreadPool& pool) {
  return prepared(std::make_shared<SearchParts>(data, params, stop, pool), data);
}

std::unique_ptr<const Search> prepare(const std::vector<Column>& columns,
                                      const Targets& units, KnownNodes& known,
                                      const TreeParams& params, StopToken& stop,
                                      ThreadPool& pool) {
  return prepared(
      std::make_shared<SearchParts>(columns, units, known, params, stop, pool), {});
}

}  // namespace dpdtree
