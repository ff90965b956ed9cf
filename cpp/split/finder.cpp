#include "split/finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.hpp"
#include "split/accumulators.hpp"
#include "split/code_histogram.hpp"
#include "split/feature_search.hpp"
#include "split/impurity_accumulator.hpp"
#include "split/loss_accumulators.hpp"
#include "split/pinball_accumulator.hpp"

namespace dpdtree {
namespace {

template <class A>
class Finder final : public SplitFinder {
 public:
  Finder(const std::vector<Column>& columns, const std::vector<ScanKeys>& keys,
         const Targets& targets, const FinderParams& params)
      : columns_(columns),
        targets_(targets),
        params_(params),
        one_(columns, keys, targets, params_) {}

  FoundSplit find(const NodeView& node, FeatureList& features,
                  const SplitRequest& request, SplitScratch& scratch,
                  StopPoller& poller) const override {
    if (!may_split(node)) return {};
    one_.rank_targets(node, scratch.own_ranks);
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
    const auto bins = one_.bins_of(node, *features, request, nullptr, [&] {
      return poller.add_work(CoarseCodes::kLanes * node.n());
    });
    if (poller.stopped()) return {};
    scratch.bins = bins ? &*bins : nullptr;
    double floor = first_floor(bins);
    for (const u32 f : *features) {
      if (poller.add_work(node.n())) return {};
      results.push_back(one_.search(f, node, floor, request, scratch));
      if (request.feature_scores == nullptr && !priced())
        one_.raise(floor, results.back());
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
        one_.bins_of(node, *features, request, &pool, [&] { return stop.poll(); });
    std::vector<double> floor(pool.size(), first_floor(bins));
    RankedTargets ranks;  // a worker may be in the middle of another search
    one_.rank_targets(node, ranks);
    // The last features leave threads without work: these share the rows then.
    pool.parallel_for(features->size(), [&](std::size_t i, unsigned worker) {
      if (stop.poll()) return;
      scratch[worker].ranks = &ranks;
      scratch[worker].bins = bins ? &*bins : nullptr;
      results[i] =
          one_.search((*features)[i], node, floor[worker], request, scratch[worker]);
      if (!priced()) one_.raise(floor[worker], results[i]);
    });
    if (stop.stopped()) return {};
    return conclude(node, features, results, request);
  }

  static double first_floor(const std::optional<NodeBins>& bins) {
    return bins ? bins->floor(A::kLeastScore) : A::kLeastScore;
  }

  bool priced() const { return params_.threshold_price > 0; }

  // What features are compared by; `decrease` turns scores into decreases.
  template <class Decrease>
  double worth(const FeatureBest& best, const NodeView& node,
               const Decrease& decrease) const {
    if (!priced()) return best.score;
    const double own = ranked_by_net(node) ? best.score : decrease(best.score);
    return own - params_.threshold_price * best.log_choices;
  }

  auto decreases_of(const NodeView& node) const {
    if constexpr (requires { A::decrease(0.0); })
      return [](double score) { return A::decrease(score); };
    else
      return
          [acc = A(targets_, node.stats)](double score) { return acc.decrease(score); };
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
      results.push_back(one_.search(order[i], node, A::kLeastScore, request, scratch));
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
    const auto decrease = decreases_of(node);
    double most_worth = -std::numeric_limits<double>::infinity();
    double score = 0;
    double tie = -std::numeric_limits<double>::infinity();
    double most_correct = 0;
    std::size_t n_constant = 0;
    for (const FeatureBest& r : results) {
      n_constant += r.constant;
      most_correct = std::max(most_correct, r.most_correct);
      if (!r.found) continue;
      const double own = worth(r, node, decrease);
      if (own < most_worth || (own == most_worth && r.tie <= tie)) continue;
      most_worth = own;
      score = r.score;
      tie = r.tie;
      out.split = r.split;
      out.found = true;
    }
    double price = 0;  // does not count as a decrease that the limit sees
    if (out.found && ranked_by_net(node)) {
      price = one_.scan_of(node, out.split.feature).price();
      out.decrease = score;
    } else if (out.found) {
      out.decrease = decrease(score);
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
  const FeatureSearch<A> one_;
};

template <bool Weighted>
std::unique_ptr<SplitFinder> make_finder(const std::vector<Column>& columns,
                                         const std::vector<ScanKeys>& keys,
                                         const Targets& t, const FinderParams& p) {
  if (p.criterion == Criterion::fixed_sides)
    return std::make_unique<Finder<FixedSides>>(columns, keys, t, p);
  if (needs_rows(p.criterion))
    return std::make_unique<Finder<PinballAccumulator>>(columns, keys, t, p);
  if (t.general || p.criterion == Criterion::cost_matrix)
    return std::make_unique<Finder<ImpurityAccumulator>>(columns, keys, t, p);
  if (p.criterion == Criterion::zero_one && t.n_classes == 2)
    return std::make_unique<Finder<BinaryErrors<Weighted>>>(columns, keys, t, p);
  if (p.criterion == Criterion::zero_one)
    return std::make_unique<Finder<ClassErrors<Weighted>>>(columns, keys, t, p);
  if (!t.classification())
    return std::make_unique<Finder<PrefixAccumulator<Weighted, false>>>(columns, keys,
                                                                        t, p);
  if (p.criterion == Criterion::entropy || p.criterion == Criterion::log_loss)
    return std::make_unique<Finder<EntropyAccumulator<Weighted>>>(columns, keys, t, p);
  if (t.n_classes == 2)
    return std::make_unique<Finder<PrefixAccumulator<Weighted, true>>>(columns, keys, t,
                                                                       p);
  return std::make_unique<Finder<GiniAccumulator<Weighted>>>(columns, keys, t, p);
}

}  // namespace

std::unique_ptr<SplitFinder> make_split_finder(const std::vector<Column>& columns,
                                               const std::vector<ScanKeys>& keys,
                                               const Targets& targets,
                                               const FinderParams& params) {
  return targets.weighted() ? make_finder<true>(columns, keys, targets, params)
                            : make_finder<false>(columns, keys, targets, params);
}

}  // namespace dpdtree
