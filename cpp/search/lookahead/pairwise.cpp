#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "search/feature_screening.hpp"
#include "search/lookahead/look_name.hpp"
#include "search/lookahead/lookahead.hpp"
#include "search/lookahead/pair_histogram.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kLookFeatures = 20;
constexpr std::size_t kEstimateFeatures = 12;
// Rows × pairs of features of one look, and of one estimate.
constexpr double kLookWork = 6e7;
// So many rows can be counted in 16 bits; more would tell little more.
constexpr std::size_t kSixteenBits = 32000;
constexpr double kEstimateWork = 3e5;
constexpr std::size_t kEstimateRows = 2000;  // at least, if there are so many

struct ScoredEdge {
  std::size_t feature = 0;  // index into the chosen features
  std::size_t edge = 0;
  double value = 0;
};

// Looks two levels ahead on local bins.
class PairwiseLookahead final : public Lookahead {
 public:
  explicit PairwiseLookahead(const LookaheadParams& params) : p_(params) {}

  // The best root of every feature, the best few of them.
  std::vector<Split> propose(SearchContext& context, const NodeView& state,
                             const FeatureList& features) const override {
    if (n_repeated(context.problem.targets, state) < kFewRows || features->empty())
      return {};
    KnownLooks* looks = context.data.looks();
    if (looks == nullptr) return proposals(context, state, features).value();
    const Hash128 key = name_of_look(p_, state, *features);
    if (const auto at = looks->proposals.find(key); at != looks->proposals.end())
      return at->second;
    const auto found = proposals(context, state, features);
    if (!found) return {};
    return looks->proposals[key] = *found;
  }

  // All splits share one sample of the rows and its bins.
  std::vector<double> estimate(SearchContext& context, const NodeView& state,
                               const FeatureList& features,
                               const std::vector<Split>& splits) const override {
    KnownLooks* looks = context.data.looks();
    if (looks == nullptr) return estimates(context, state, features, splits).value();
    const Hash128 key = name_of_look(p_, state, *features, splits);
    if (const auto at = looks->estimates.find(key); at != looks->estimates.end())
      return at->second;
    const auto found = estimates(context, state, features, splits);
    if (!found) return std::vector<double>(splits.size(), kUnknown);
    return looks->estimates[key] = *found;
  }

 private:
  static constexpr double kFewRows = 8;
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  // Nothing, if the rows are not known yet.
  std::optional<std::vector<Split>> proposals(SearchContext& context,
                                              const NodeView& state,
                                              const FeatureList& features) const {
    const std::vector<u32> chosen =
        choose_features(context, state, features, kLookFeatures);
    const Sample sample = context.data.sample(
        context, state,
        std::min(most_rows(kLookWork, n_looked_at(context, chosen, kLookFeatures)),
                 kSixteenBits),
        chosen);
    if (sample.rows.empty()) return std::nullopt;
    const Binned binned = bin(context, chosen, sample, 4);
    if (context.poller.add_work(sample.rows.size() * chosen.size() * chosen.size() / 2))
      return std::vector<Split>{};
    const EdgeGains gains = pair_gains_of(
        {sample.targets, binned.bins, p_.loss, context.limits.min_samples_leaf});
    auto best = best_edges(gains, sample.weight, sample.scale);
    if (best.size() > p_.n_roots) best.resize(p_.n_roots);
    if (p_.all_alphas) add_smaller_trees(gains, sample.weight, best);
    std::vector<Split> roots;
    for (const ScoredEdge& edge : best)
      roots.push_back(root_at(context, state, sample, binned, edge));
    return roots;
  }

  std::optional<std::vector<double>> estimates(SearchContext& context,
                                               const NodeView& state,
                                               const FeatureList& features,
                                               const std::vector<Split>& splits) const {
    const std::vector<u32> chosen =
        choose_features(context, state, features, kEstimateFeatures);
    const std::size_t most = std::clamp<std::size_t>(
        most_rows(kEstimateWork, n_looked_at(context, chosen, kEstimateFeatures)),
        kEstimateRows, kSixteenBits);
    const Sample sample =
        context.data.sample(context, state, most, with_those_of(splits, chosen));
    if (sample.rows.empty()) return std::nullopt;
    const Binned binned = bin(context, chosen, sample, 1);
    const PairHistogramProblem problem{sample.targets, binned.bins, p_.loss,
                                       context.limits.min_samples_leaf};
    const auto divided = make_divided_gains(problem);
    std::vector<double> values;
    std::vector<std::pair<u32, std::size_t>> seen;  // feature, rows on the left
    const std::size_t n = sample.rows.size();
    for (const Split& split : splits) {
      values.push_back(kUnknown);
      const auto indices = divide(context, sample, split);
      if (!split.categories &&
          nearly_seen(seen, split.feature, indices[0].size(), n / 200))
        continue;
      if (context.poller.add_work(n * chosen.size() * chosen.size() / 4)) break;
      values.back() = divided_value(sample, *divided, indices);
    }
    values.resize(splits.size(), kUnknown);
    return values;
  }

  static std::vector<u32> with_those_of(const std::vector<Split>& splits,
                                        std::vector<u32> features) {
    for (const Split& split : splits) features.push_back(split.feature);
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    return features;
  }

  // Which features of a node are constant may be known or not. Where sums depend on no
  // order the size of samples shall not depend on it either.
  static std::size_t n_looked_at(const SearchContext& context,
                                 const std::vector<u32>& chosen, std::size_t most) {
    const Problem& p = context.problem;
    return p.targets.order_free ? std::min(most, p.columns.size()) : chosen.size();
  }

  // Two criteria often propose almost the same threshold; refinement finds the better.
  static bool nearly_seen(std::vector<std::pair<u32, std::size_t>>& seen, u32 feature,
                          std::size_t n_left, std::size_t tolerance) {
    for (const auto& [f, n] : seen)
      if (f == feature && (n > n_left ? n - n_left : n_left - n) <= tolerance)
        return true;
    seen.emplace_back(feature, n_left);
    return false;
  }

  double penalty(double weight) const {
    return p_.per_leaf ? p_.alpha_weight : p_.alpha * weight;
  }

  // The pairs grow with the square of the features: of many, those whose own best
  // split is best.
  static std::vector<u32> choose_features(SearchContext& context, const NodeView& state,
                                          const FeatureList& features,
                                          std::size_t most) {
    if (features->size() <= most) return *features;
    std::vector<u32> chosen =
        best_features(context, state, features, SearchTarget::criterion, most);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  static std::size_t most_rows(double work, std::size_t n_features) {
    const double pairs = static_cast<double>(n_features * (n_features + 1)) / 2;
    return static_cast<std::size_t>(work / std::max(1.0, pairs));
  }

  // Bins of the chosen features, of those with missing values once more with these
  // first; `feature` tells whose bins they are. CodeHistogram cost as much as rows:
  // with few rows fine bins only cost time.
  struct Binned {
    std::vector<LocalBins> bins;
    std::vector<u32> feature;
  };

  static Binned bin(const SearchContext& context, const std::vector<u32>& chosen,
                    const Sample& sample, double cells_per_row) {
    const Targets& targets = sample.targets;
    const std::vector<Row>& rows = sample.rows;
    const double planes = targets.n_classes > 2 ? targets.n_classes : 2;
    const double wanted =
        std::sqrt(cells_per_row * static_cast<double>(rows.size()) / planes);
    const auto n_bins =
        static_cast<u32>(std::clamp(wanted, 8.0, double{kMaxLocalBins}));
    Binned out;
    std::vector<u32> scratch;
    for (const u32 f : chosen) {
      const Column& column = sample.columns(context.problem.columns)[f];
      LocalBins bins = column.categorical
                           ? make_category_bins(column, targets, rows, n_bins)
                           : make_local_bins(column, rows, n_bins, scratch);
      const bool missing = bins.size() > 1 && bins.last.back() == column.missing_code();
      if (missing) {
        out.bins.push_back(with_missing_first(bins));
        out.feature.push_back(f);
      }
      out.bins.push_back(std::move(bins));
      out.feature.push_back(f);
    }
    return out;
  }

  // What both sides of a root split gain together.
  double value_at(const EdgeGains& g, std::size_t edge, double weight,
                  double scale) const {
    const double wl = g.left_weight[edge], wr = weight - wl;
    const double pl = scale * penalty(wl / scale), pr = scale * penalty(wr / scale);
    return std::max<double>(g.left_leaf[edge], g.left[edge] - pl) +
           std::max<double>(g.right_leaf[edge], g.right[edge] - pr);
  }

  // Per feature its best edge; the best features first.
  std::vector<ScoredEdge> best_edges(const EdgeGains& gains, double weight,
                                     double scale) const {
    std::vector<ScoredEdge> best;
    for (std::size_t f = 0; f + 1 < gains.first.size(); ++f) {
      ScoredEdge top{f, 0, -std::numeric_limits<double>::infinity()};
      for (std::size_t e = gains.first[f]; e < gains.first[f + 1]; ++e) {
        const double value = value_at(gains, e, weight, scale);
        if (value > top.value) top = {f, e - gains.first[f], value};
      }
      if (gains.first[f] < gains.first[f + 1]) best.push_back(top);
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const auto& x, const auto& y) { return x.value > y.value; });
    return best;
  }

  // What a tree of one root edge gains, and what the splits below it cost per alpha.
  struct PricedEdge {
    double price = 0;
    double gain = -std::numeric_limits<double>::infinity();
    std::size_t edge = 0;
  };

  // The roots of trees with one or no split below them that are best for some alpha:
  // the corners, above the line between them, of the hull of all these trees.
  void add_smaller_trees(const EdgeGains& g, double weight,
                         std::vector<ScoredEdge>& best) const {
    const double both = p_.per_leaf ? 2 : weight;
    PricedEdge none, two{both};
    const auto raise = [](PricedEdge& top, double gain, std::size_t e) {
      if (gain > top.gain) top.gain = gain, top.edge = e;
    };
    for (std::size_t e = 0; e < g.left.size(); ++e) {
      raise(none, g.left_leaf[e] + g.right_leaf[e], e);
      raise(two, g.left[e] + g.right[e], e);
    }
    if (!std::isfinite(none.gain)) return;
    std::vector<PricedEdge> hull;
    const double slope = std::max(0.0, two.gain - none.gain) / both;
    const auto add_above = [&](double price, double gain, std::size_t e) {
      if (gain > none.gain + slope * price) hull.push_back({price, gain, e});
    };
    for (std::size_t e = 0; e < g.left.size(); ++e) {
      const double wl = g.left_weight[e];
      add_above(p_.per_leaf ? 1 : wl, g.left[e] + g.right_leaf[e], e);
      add_above(p_.per_leaf ? 1 : weight - wl, g.left_leaf[e] + g.right[e], e);
    }
    keep_hull(none, two, hull);
    hull.push_back(none);
    for (const PricedEdge& corner : hull) add_edge(g, corner.edge, best);
  }

  // Of trees above the line between the first and the last, those on the hull.
  static void keep_hull(const PricedEdge& first, const PricedEdge& last,
                        std::vector<PricedEdge>& trees) {
    std::stable_sort(trees.begin(), trees.end(), [](const auto& a, const auto& b) {
      return a.price != b.price ? a.price < b.price : a.gain > b.gain;
    });
    trees.push_back(last);
    std::vector<PricedEdge> hull{first};
    for (const PricedEdge& tree : trees) {
      if (tree.price <= hull.back().price || tree.gain <= hull.back().gain) continue;
      const auto bends = [&](const PricedEdge& a, const PricedEdge& b) {
        return (b.gain - a.gain) * (tree.price - b.price) >
               (tree.gain - b.gain) * (b.price - a.price);
      };
      while (hull.size() > 1 && !bends(hull[hull.size() - 2], hull.back()))
        hull.pop_back();
      hull.push_back(tree);
    }
    trees.assign(hull.begin() + 1, hull.end());
  }

  static void add_edge(const EdgeGains& g, std::size_t edge,
                       std::vector<ScoredEdge>& best) {
    const auto after = std::upper_bound(g.first.begin(), g.first.end(), edge);
    const auto f = static_cast<std::size_t>(after - g.first.begin()) - 1;
    const ScoredEdge one{f, edge - g.first[f], 0};
    for (const ScoredEdge& known : best)
      if (known.feature == one.feature && known.edge == one.edge) return;
    best.push_back(one);
  }

  // Indices in the sample of the rows that go left and right.
  static DividedGains::Indices divide(const SearchContext& context,
                                      const Sample& sample, const Split& split) {
    const Column& column = sample.columns(context.problem.columns)[split.feature];
    const std::vector<Row>& rows = sample.rows;
    DividedGains::Indices indices;
    visit_codes(column.code, [&](const auto* code) {
      visit_side(split.left_codes(column), [&](auto is_left) {
        for (u32 i = 0; i < rows.size(); ++i)
          indices[is_left(code[rows[i]]) ? 0 : 1].push_back(i);
      });
    });
    return indices;
  }

  double divided_value(const Sample& sample, DividedGains& divided,
                       const DividedGains::Indices& indices) const {
    const std::array<EdgeGains, 2> gains = divided.gains(indices);
    return side_value(sample, indices[0], gains[0]) +
           side_value(sample, indices[1], gains[1]);
  }

  // The best tree of two levels, on the bins.
  double side_value(const Sample& sample, const std::vector<u32>& indices,
                    const EdgeGains& gains) const {
    if (indices.empty()) return 0;
    const Targets& t = sample.targets;
    std::vector<double> stats(t.stats_width());
    t.accumulate(indices, stats.data());
    const double leaf = impurity_sum(p_.loss, stats), weight = t.total_weight(stats);
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < gains.left.size(); ++e)
      best = std::max(best, value_at(gains, e, weight, sample.scale));
    const double whole = p_.loss == Criterion::squared_error ? stats[2]
                         : p_.loss == Criterion::log_loss    ? 0
                                                             : weight;
    const double split = sample.scale * penalty(weight / sample.scale) + whole - best;
    return std::min(leaf, split);
  }

  static Split root_at(const SearchContext& context, const NodeView& state,
                       const Sample& sample, const Binned& binned,
                       const ScoredEdge& best) {
    Split split = split_at(context, binned.feature[best.feature],
                           binned.bins[best.feature], best.edge);
    context.data.place_unseen(sample, state, split);
    return split;
  }

  static SharedCategories left_of(const LocalBins& bins, std::size_t n_places,
                                  u32 n_codes) {
    auto set = std::make_shared<CategorySet>(n_codes);
    for (std::size_t i = 0; i < n_places; ++i) set->insert(bins.code_at[i]);
    return set;
  }

  static Split split_at(const SearchContext& context, u32 feature,
                        const LocalBins& bins, std::size_t edge) {
    const Column& column = context.problem.columns[feature];
    Split split;
    split.feature = feature;
    // Missing alone on the left is the mirror image of missing alone on the right.
    const bool mirrored = bins.missing_first && edge == 0;
    if (column.categorical) {
      const std::size_t n = mirrored ? bins.code_at.size() : bins.last[edge] + 1;
      split.categories = left_of(bins, n, column.n_codes());
    } else {
      split.threshold =
          mirrored ? std::numeric_limits<double>::infinity()
                   : column.threshold_between(bins.last[edge], bins.first[edge + 1]);
      split.cut = column.cut_of(split.threshold);
    }
    const bool seen = bins.missing_first || bins.last.back() == column.missing_code();
    split.missing = !seen                             ? Missing::heavier
                    : bins.missing_first && !mirrored ? Missing::left
                                                      : Missing::right;
    return split;
  }

  LookaheadParams p_;
};

}  // namespace

std::unique_ptr<Lookahead> make_pairwise_lookahead(const LookaheadParams& params) {
  return std::make_unique<PairwiseLookahead>(params);
}

}  // namespace dpdtree
