#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "generator/joint.hpp"
#include "generator/lookahead.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kLookFeatures = 20;
constexpr std::size_t kEstimateFeatures = 12;
// Rows × pairs of features of one look, and of one estimate.
constexpr double kLookWork = 6e7;
// So many rows can be counted in 16 bits; more would tell little more.
constexpr std::size_t kSixteenBits = 32000;
constexpr double kEstimateWork = 7e4;  // at precision 1

struct ScoredEdge {
  std::size_t feature = 0;  // index into the chosen features
  std::size_t edge = 0;
  double value = 0;
};

// Looks two levels ahead on local bins.
class TwoLevelLook final : public Lookahead {
 public:
  explicit TwoLevelLook(const LookaheadParams& params) : p_(params) {}

  // The best root of every feature, the best few of them; and what the best promises.
  LookaheadResult look(SearchContext& context, const NodeView& state,
                       const FeatureList& features) const override {
    LookaheadResult out;
    out.value = mass(p_.loss, state.stats);
    if (state.n() < kFewRows || features->empty()) return out;
    const std::vector<u32> chosen =
        choose_features(context, state, features, kLookFeatures);
    const std::vector<Row> rows = by_class(
        context, spread(state.rows,
                        std::min(most_rows(kLookWork, chosen.size()), kSixteenBits)));
    const Binned binned = bin(context, chosen, rows, 4);
    if (context.poller.add_work(rows.size() * chosen.size() * chosen.size() / 2))
      return out;
    const double scale = static_cast<double>(rows.size()) / state.n();
    const auto best =
        best_edges(context, rows, binned.bins, state.weight * scale, scale);
    for (std::size_t i = 0; i < std::min<std::size_t>(p_.n_roots, best.size()); ++i)
      out.roots.push_back(split_at(context, binned.feature[best[i].feature],
                                   binned.bins[best[i].feature], best[i].edge));
    return out;
  }

  // All splits share one sample of the rows and its bins.
  std::vector<double> estimate(SearchContext& context, const NodeView& state,
                               const FeatureList& features,
                               const std::vector<Split>& splits,
                               double precision) const override {
    const std::vector<u32> chosen =
        choose_features(context, state, features, kEstimateFeatures);
    const std::size_t most = std::clamp<std::size_t>(
        most_rows(precision * kEstimateWork, chosen.size()), 1000, kSixteenBits);
    const std::vector<Row> rows = by_class(context, spread(state.rows, most));
    const Binned binned = bin(context, chosen, rows, 1);
    const double scale = static_cast<double>(rows.size()) / state.n();
    std::vector<double> values;
    std::vector<std::pair<u32, std::size_t>> seen;  // feature, rows on the left
    for (const Split& split : splits) {
      const auto places = divide(context, rows, split);
      if (nearly_seen(seen, split.feature, places[0].size(), rows.size() / 200)) {
        values.push_back(std::numeric_limits<double>::infinity());
        continue;
      }
      values.push_back(side_value(context, rows, binned.bins, places[0], scale) +
                       side_value(context, rows, binned.bins, places[1], scale));
    }
    return values;
  }

 private:
  static constexpr u32 kFewRows = 8;

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
  std::vector<u32> choose_features(SearchContext& context, const NodeView& state,
                                   const FeatureList& features,
                                   std::size_t most) const {
    if (features->size() <= most) return *features;
    std::vector<double> scores;
    SplitRequest request;
    request.feature_scores = &scores;
    FeatureList unused = features;
    context.finders[Aim::criterion].finder->find(state, unused, request,
                                                 context.scratch, context.poller);
    if (scores.size() != features->size()) return {};  // stopped, or nothing to split
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return scores[a] > scores[b];
    });
    order.resize(most);
    std::vector<u32> chosen;
    for (const std::size_t i : order) chosen.push_back((*features)[i]);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  static std::size_t most_rows(double work, std::size_t n_features) {
    const double pairs = static_cast<double>(n_features * (n_features + 1)) / 2;
    return static_cast<std::size_t>(work / std::max(1.0, pairs));
  }

  // All rows, or that many of them evenly spaced.
  static std::vector<Row> spread(std::span<const Row> rows, std::size_t most) {
    if (rows.size() <= most) return {rows.begin(), rows.end()};
    std::vector<Row> out(most);
    for (std::size_t i = 0; i < most; ++i) out[i] = rows[i * rows.size() / most];
    return out;
  }

  // All rows of a class together, as joint_gains wants them.
  static std::vector<Row> by_class(const SearchContext& context,
                                   std::vector<Row> rows) {
    const Targets& t = context.problem.targets;
    if (!t.classification()) return rows;
    std::vector<std::size_t> next(t.n_classes + 1, 0);
    for (const Row r : rows) ++next[t.label[r] + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Row> out(rows.size());
    for (const Row r : rows) out[next[t.label[r]]++] = r;
    return out;
  }

  // Bins of the chosen features, of those with missing values once more with these
  // first; `feature` tells whose bins they are. Cells cost as much as rows: with few
  // rows fine bins only cost time.
  struct Binned {
    std::vector<LocalBins> bins;
    std::vector<u32> feature;
  };

  static Binned bin(const SearchContext& context, const std::vector<u32>& chosen,
                    std::span<const Row> rows, double cells_per_row) {
    const Targets& targets = context.problem.targets;
    const double planes = targets.n_classes > 2 ? targets.n_classes : 2;
    const double wanted =
        std::sqrt(cells_per_row * static_cast<double>(rows.size()) / planes);
    const auto n_bins =
        static_cast<u32>(std::clamp(wanted, 8.0, double{kMaxLocalBins}));
    Binned out;
    std::vector<u32> scratch;
    for (const u32 f : chosen) {
      const Column& column = context.problem.columns[f];
      LocalBins bins = make_local_bins(column, rows, n_bins, scratch);
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

  // Per feature its best edge; the best features first.
  std::vector<ScoredEdge> best_edges(const SearchContext& context,
                                     std::span<const Row> rows,
                                     const std::vector<LocalBins>& bins, double weight,
                                     double scale) const {
    const auto gains = joint_gains({context.problem.targets, rows, bins, p_.loss,
                                    context.limits.min_samples_leaf});
    std::vector<ScoredEdge> best;
    for (std::size_t f = 0; f < gains.size(); ++f) {
      const SideGains& g = gains[f];
      ScoredEdge top{f, 0, -std::numeric_limits<double>::infinity()};
      for (std::size_t a = 0; a < g.left.size(); ++a) {
        const double wl = g.left_weight[a], wr = weight - wl;
        const double pl = scale * penalty(wl / scale);
        const double pr = scale * penalty(wr / scale);
        const double value = std::max<double>(g.left_leaf[a], g.left[a] - pl) +
                             std::max<double>(g.right_leaf[a], g.right[a] - pr);
        if (value > top.value) top = {f, a, value};
      }
      if (!g.left.empty()) best.push_back(top);
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const auto& x, const auto& y) { return x.value > y.value; });
    return best;
  }

  // Places in the sample of the rows that go left and right.
  static std::array<std::vector<u32>, 2> divide(const SearchContext& context,
                                                std::span<const Row> rows,
                                                const Split& split) {
    const Column& column = context.problem.columns[split.feature];
    const u32 missing = split.missing == Missing::left ? column.missing_code() : ~0u;
    std::array<std::vector<u32>, 2> places;
    visit_codes(column.code, [&](const auto* code) {
      for (u32 i = 0; i < rows.size(); ++i) {
        const u32 c = code[rows[i]];
        places[c < split.cut || c == missing ? 0 : 1].push_back(i);
      }
    });
    return places;
  }

  double side_value(const SearchContext& context, const std::vector<Row>& rows,
                    const std::vector<LocalBins>& bins, const std::vector<u32>& places,
                    double scale) const {
    if (places.empty()) return 0;
    const Targets& t = context.problem.targets;
    std::vector<Row> own(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) own[i] = rows[places[i]];
    std::vector<double> stats(t.stats_width());
    t.accumulate(own, stats.data());
    const double leaf = mass(p_.loss, stats);
    if (places.size() < kFewRows || leaf == 0) return leaf;
    std::vector<LocalBins> own_bins(bins.size());
    for (std::size_t f = 0; f < bins.size(); ++f) {
      own_bins[f].first = bins[f].first;
      own_bins[f].last = bins[f].last;
      own_bins[f].bin.resize(places.size());
      for (std::size_t i = 0; i < places.size(); ++i)
        own_bins[f].bin[i] = bins[f].bin[places[i]];
    }
    const double weight = t.total_weight(stats);
    const auto best = best_edges(context, own, own_bins, weight, scale);
    if (best.empty()) return leaf;
    const double whole = p_.loss == Measure::squared_error ? stats[2]
                         : p_.loss == Measure::log_loss    ? 0
                                                           : weight;
    const double split = scale * penalty(weight / scale) + whole - best[0].value;
    return std::min(leaf, split);
  }

  static Split split_at(const SearchContext& context, u32 feature,
                        const LocalBins& bins, std::size_t edge) {
    const Column& column = context.problem.columns[feature];
    Split split;
    split.feature = feature;
    // Missing alone on the left is the mirror image of missing alone on the right.
    const bool mirrored = bins.missing_first && edge == 0;
    split.threshold =
        mirrored ? std::numeric_limits<double>::infinity()
                 : column.threshold_between(bins.last[edge], bins.first[edge + 1]);
    split.cut = column.cut_of(split.threshold);
    const bool seen = bins.missing_first || bins.last.back() == column.missing_code();
    split.missing = !seen                             ? Missing::heavier
                    : bins.missing_first && !mirrored ? Missing::left
                                                      : Missing::right;
    return split;
  }

  LookaheadParams p_;
};

}  // namespace

std::unique_ptr<Lookahead> make_two_level_look(const LookaheadParams& params) {
  return std::make_unique<TwoLevelLook>(params);
}

}  // namespace dpdtree
