#include "split/finder.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/rng.hpp"
#include "split/constrained_scan.hpp"
#include "split/feature_search.hpp"

namespace dpdtree {
namespace {

// Special accumulators are fast; the general one knows every criterion.
FeatureSearchPtr make_feature_search(const SearchInput& in) {
  const Criterion criterion = in.params.criterion;
  if (criterion == Criterion::fixed_sides) return make_fixed_sides_search(in);
  if (needs_rows(criterion)) return make_pinball_search(in);
  if (in.targets.general) return make_general_search(in);
  if (criterion == Criterion::zero_one) return make_error_search(in);
  if (criterion == Criterion::squared_error) return make_variance_search(in);
  if (criterion == Criterion::gini) return make_gini_search(in);
  if (criterion == Criterion::entropy || criterion == Criterion::log_loss)
    return make_entropy_search(in);
  return make_general_search(in);
}

class Finder final : public SplitFinder {
 public:
  Finder(const std::vector<Column>& columns, const std::vector<ScanKeys>& keys,
         const Targets& targets, const FinderParams& params)
      : columns_(columns),
        targets_(targets),
        params_(params),
        charges_sets_(params.row_weight > 0 &&
                      std::any_of(columns.begin(), columns.end(),
                                  [](const Column& c) { return c.categorical; })),
        one_(make_feature_search({columns, keys, targets, params_})) {}

  FoundSplit find(const NodeView& node, FeatureList& features,
                  const SplitRequest& request, SplitScratch& scratch,
                  StopPoller& poller) const override {
    if (!may_split(node)) return {};
    one_->rank_targets(node, scratch.own_ranks);
    scratch.ranks = &scratch.own_ranks;
    if (params_.max_features < columns_.size())
      return find_sampled(node, request, scratch, poller);
    if (!restricted(node)) return find_among(node, features, request, scratch, poller);
    FeatureList own = permitted(node, *features);
    return find_among(node, own, request, scratch, poller);
  }

  FoundSplit find_parallel(const NodeView& node, FeatureList& features,
                           const SplitRequest& request,
                           std::vector<SplitScratch>& scratch, StopToken& stop,
                           ThreadPool& pool) const override {
    if (!may_split(node)) return {};
    StopPoller poller(stop);
    if (params_.max_features < columns_.size() || request.visit_all != nullptr)
      return find(node, features, request, scratch[0], poller);
    if (!restricted(node))
      return find_among_parallel(node, features, request, scratch, stop, pool);
    FeatureList own = permitted(node, *features);
    return find_among_parallel(node, own, request, scratch, stop, pool);
  }

 private:
  static bool restricted(const NodeView& node) {
    return node.constraints && node.constraints->permitted;
  }

  static FeatureList permitted(const NodeView& node, const std::vector<u32>& features) {
    auto own = std::make_shared<std::vector<u32>>();
    for (const u32 f : features)
      if (node.constraints->permits(f)) own->push_back(f);
    return own;
  }

  FoundSplit find_among(const NodeView& node, FeatureList& features,
                        const SplitRequest& request, SplitScratch& scratch,
                        StopPoller& poller) const {
    std::vector<FeatureBest> results;
    results.reserve(features->size());
    const auto bins = one_->bins_of(node, *features, request, nullptr, [&] {
      return poller.add_work(CoarseCodes::kLanes * node.n());
    });
    const auto cells =
        counted_cells(node, *features, scratch, [&] { return poller.poll(); });
    if (poller.stopped()) return {};
    scratch.bins = bins ? &*bins : nullptr;
    scratch.cell_counts = cells.get();
    double floor = first_floor(bins);
    scratch.most_correct = bins ? bins->correct : 0;
    for (const u32 f : *features) {
      if (poller.add_work(node.n())) return {};
      results.push_back(one_->search(f, node, floor, request, scratch));
      scratch.most_correct =
          std::max(scratch.most_correct, results.back().most_correct);
      if (request.feature_scores == nullptr && raises(results.back()))
        one_->raise(floor, results.back());
    }
    if (request.feature_scores != nullptr) {
      request.feature_scores->clear();
      for (const FeatureBest& r : results)
        request.feature_scores->push_back(
            r.found ? r.score : -std::numeric_limits<double>::infinity());
    }
    return conclude(node, features, results, request);
  }

  FoundSplit find_among_parallel(const NodeView& node, FeatureList& features,
                                 const SplitRequest& request,
                                 std::vector<SplitScratch>& scratch, StopToken& stop,
                                 ThreadPool& pool) const {
    std::vector<FeatureBest> results(features->size());
    const auto bins =
        one_->bins_of(node, *features, request, &pool, [&] { return stop.poll(); });
    const auto cells =
        counted_cells(node, *features, scratch[0], [&] { return stop.poll(); });
    std::vector<double> floor(pool.size(), first_floor(bins));
    std::vector<double> most_correct(pool.size(), bins ? bins->correct : 0);
    RankedTargets ranks;  // a worker may be in the middle of another search
    one_->rank_targets(node, ranks);
    // The last features leave threads without work: these share the rows then.
    pool.parallel_for(features->size(), [&](std::size_t i, unsigned worker) {
      if (stop.poll()) return;
      scratch[worker].ranks = &ranks;
      scratch[worker].bins = bins ? &*bins : nullptr;
      scratch[worker].cell_counts = cells.get();
      scratch[worker].most_correct = most_correct[worker];
      results[i] =
          one_->search((*features)[i], node, floor[worker], request, scratch[worker]);
      if (raises(results[i])) one_->raise(floor[worker], results[i]);
      most_correct[worker] = std::max(most_correct[worker], results[i].most_correct);
    });
    if (stop.stopped()) return {};
    return conclude(node, features, results, request);
  }

  CellCountCache::Counts counted_cells(const NodeView& node,
                                       std::span<const u32> features,
                                       const SplitScratch& scratch,
                                       const std::function<bool()>& stopped) const {
    if (params_.cell_counts == nullptr || scratch.given != nullptr) return nullptr;
    return params_.cell_counts->of(node, features, params_.pool, stopped);
  }

  double first_floor(const std::optional<NodeBins>& bins) const {
    return bins ? bins->floor(one_->least_score()) : one_->least_score();
  }

  bool priced() const { return params_.threshold_price > 0 || charges_sets_; }

  // No split with a lower score is worth more than this one.
  bool raises(const FeatureBest& best) const {
    return params_.threshold_price == 0 &&
           !(charges_sets_ && columns_[best.split.feature].categorical);
  }

  double decrease(const FeatureBest& best, const NodeView& node) const {
    if (best.is_decrease) return best.score + best.charge;
    return ranked_by_net(node) ? best.score : one_->decrease(node, best.score);
  }

  // What features are compared by.
  double worth(const FeatureBest& best, const NodeView& node) const {
    if (!priced()) return best.score;
    const double price = columns_[best.split.feature].categorical
                             ? best.charge
                             : params_.threshold_price * best.log_choices;
    return decrease(best, node) - price;
  }

  bool may_split(const NodeView& node) const {
    const SplitLimits& limits = params_.limits;
    return node.n() >= limits.min_samples_split &&
           node.n() / 2 >= limits.min_samples_leaf &&
           node.weight >= 2 * limits.min_weight_leaf &&
           (params_.criterion == Criterion::fixed_sides ||
            !targets_.pure(node.rows, node.stats));
  }

  // Draws features until max_features were tried and one gave a split, as
  // scikit-learn does; the draw depends on the rows of the node alone.
  FoundSplit find_sampled(const NodeView& node, const SplitRequest& request,
                          SplitScratch& scratch, StopPoller& poller) const {
    std::vector<u32> order(columns_.size());
    std::iota(order.begin(), order.end(), 0u);
    if (restricted(node)) order = *permitted(node, order);
    CounterRng rng(params_.seed, node.hash);
    std::vector<FeatureBest> results;
    u32 tried = 0;
    bool found = false;
    for (u32 i = 0; i < order.size() && (tried < params_.max_features || !found); ++i) {
      std::swap(order[i], order[i + rng.below(static_cast<u32>(order.size()) - i)]);
      if (poller.add_work(node.n())) return {};
      scratch.bins = nullptr;
      scratch.cell_counts = nullptr;
      scratch.most_correct = 0;
      results.push_back(
          one_->search(order[i], node, one_->least_score(), request, scratch));
      tried += !results.back().constant;
      found |= results.back().found;
    }
    std::sort(results.begin(), results.end(), [](const auto& x, const auto& y) {
      return x.split.feature < y.split.feature;
    });
    FeatureList unused;
    return conclude(node, unused, results, request);
  }

  FoundSplit conclude(const NodeView& node, FeatureList& features,
                      const std::vector<FeatureBest>& results,
                      const SplitRequest& request) const {
    FoundSplit out;
    double most_worth = -std::numeric_limits<double>::infinity();
    const FeatureBest* best = nullptr;
    double tie = -std::numeric_limits<double>::infinity();
    double most_correct = 0;
    std::size_t n_constant = 0;
    for (const FeatureBest& r : results) {
      n_constant += r.constant;
      most_correct = std::max(most_correct, r.most_correct);
      if (!r.found) continue;
      const double own = worth(r, node);
      if (own < most_worth || (own == most_worth && r.tie <= tie)) continue;
      most_worth = own;
      best = &r;
      tie = r.tie;
      out.split = r.split;
      out.found = true;
    }
    double price = 0;  // does not count as a decrease that the limit sees
    if (best != nullptr) {
      out.decrease = decrease(*best, node);
      if (ranked_by_net(node))
        price = NetScan{node, params_.criterion, out.split.feature}.price();
    }
    // The slack lets a decrease through that only rounding pushed below the limit.
    const double slack = 1e-12 * std::max(1.0, params_.limits.min_decrease);
    if (out.decrease + price + slack < params_.limits.min_decrease) out.found = false;
    if (request.error_bound) out.error_bound = node.weight - most_correct;
    if (features && n_constant > 0) drop_constant(features, results);
    return out;
  }

  static void drop_constant(FeatureList& features,
                            const std::vector<FeatureBest>& results) {
    auto left = std::make_shared<std::vector<u32>>();
    for (std::size_t i = 0; i < features->size(); ++i)
      if (!results[i].constant) left->push_back((*features)[i]);
    features = std::move(left);
  }

  const std::vector<Column>& columns_;
  const Targets& targets_;
  const FinderParams params_;
  const bool charges_sets_;
  const FeatureSearchPtr one_;
};

}  // namespace

std::unique_ptr<SplitFinder> make_split_finder(const std::vector<Column>& columns,
                                               const std::vector<ScanKeys>& keys,
                                               const Targets& targets,
                                               const FinderParams& params) {
  return std::make_unique<Finder>(columns, keys, targets, params);
}

}  // namespace dpdtree
