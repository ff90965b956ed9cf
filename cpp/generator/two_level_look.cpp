#include <algorithm>
#include <cmath>
#include <limits>

#include "generator/joint.hpp"
#include "generator/lookahead.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kMaxJointFeatures = 20;
constexpr double kMaxJointWork = 6e7;  // rows × pairs

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
    const std::vector<u32> chosen = choose_features(context, state, features);
    const std::vector<Row> rows = sample(state.rows, chosen.size());
    const u32 n_bins = bins_for(rows.size(), context.problem.targets);
    std::vector<LocalBins> bins;
    std::vector<u32> scratch;
    for (const u32 f : chosen)
      bins.push_back(
          make_local_bins(context.problem.columns[f], rows, n_bins, scratch));
    if (context.poller.add_work(rows.size() * chosen.size() * chosen.size() / 2))
      return out;
    const auto gains = joint_gains({context.problem.targets, rows, bins, p_.loss,
                                    context.limits.min_samples_leaf});
    const double scale = static_cast<double>(rows.size()) / state.n();
    const std::vector<ScoredEdge> best = best_edges(gains, state, scale);
    for (std::size_t i = 0; i < std::min<std::size_t>(p_.n_roots, best.size()); ++i)
      out.roots.push_back(split_at(context, chosen[best[i].feature],
                                   bins[best[i].feature], best[i].edge));
    if (!best.empty())
      out.value = std::min(out.value, value_of(best[0].value / scale, state));
    return out;
  }

 private:
  static constexpr u32 kFewRows = 8;

  double penalty(double weight) const {
    return p_.per_leaf ? p_.alpha_weight : p_.alpha * weight;
  }

  // A gain of the leaves → the objective of the state.
  double value_of(double gain, const NodeView& state) const {
    const double whole = p_.loss == Measure::squared_error ? state.stats[2]
                         : p_.loss == Measure::log_loss    ? 0
                                                           : state.weight;
    return penalty(state.weight) + whole - gain;
  }

  // The pairs grow with the square of the features: of many, those whose own best
  // split is best.
  std::vector<u32> choose_features(SearchContext& context, const NodeView& state,
                                   const FeatureList& features) const {
    if (features->size() <= kMaxJointFeatures) return *features;
    std::vector<std::pair<double, u32>> score;
    const SplitVisitor visit = [&](const Split& split, double decrease) {
      if (score.empty() || score.back().second != split.feature)
        score.emplace_back(-decrease, split.feature);
      else
        score.back().first = std::min(score.back().first, -decrease);
    };
    FeatureList unused = features;
    context.finders[Aim::criterion].finder->find(state, unused, {false, &visit},
                                                 context.scratch, context.poller);
    std::sort(score.begin(), score.end());
    if (score.size() > kMaxJointFeatures) score.resize(kMaxJointFeatures);
    std::vector<u32> chosen;
    for (const auto& s : score) chosen.push_back(s.second);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  // Evenly spaced rows if all would be too much work.
  static std::vector<Row> sample(std::span<const Row> rows, std::size_t n_features) {
    const double pairs = static_cast<double>(n_features * (n_features + 1)) / 2;
    const auto most = static_cast<std::size_t>(kMaxJointWork / std::max(1.0, pairs));
    if (rows.size() <= most) return {rows.begin(), rows.end()};
    std::vector<Row> out(most);
    for (std::size_t i = 0; i < most; ++i) out[i] = rows[i * rows.size() / most];
    return out;
  }

  // Cells cost as much as rows; with few rows fine bins only cost time.
  u32 bins_for(std::size_t n_rows, const Targets& targets) const {
    const double planes = targets.n_classes > 2 ? targets.n_classes : 2;
    const double bins = std::sqrt(p_.bin_factor * static_cast<double>(n_rows) / planes);
    return static_cast<u32>(std::clamp(bins, 8.0, double{kMaxLocalBins}));
  }

  // Per feature its best edge; the best features first.
  std::vector<ScoredEdge> best_edges(const std::vector<SideGains>& gains,
                                     const NodeView& state, double scale) const {
    std::vector<ScoredEdge> best;
    for (std::size_t f = 0; f < gains.size(); ++f) {
      const SideGains& g = gains[f];
      ScoredEdge top{f, 0, -std::numeric_limits<double>::infinity()};
      for (std::size_t a = 0; a < g.left.size(); ++a) {
        const double wl = g.left_weight[a], wr = state.weight * scale - wl;
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

  static Split split_at(const SearchContext& context, u32 feature,
                        const LocalBins& bins, std::size_t edge) {
    const Column& column = context.problem.columns[feature];
    Split split;
    split.feature = feature;
    split.threshold = column.threshold_between(bins.last[edge], bins.first[edge + 1]);
    split.cut = column.cut_of(split.threshold);
    const bool missing = bins.last.back() == column.missing_code();
    split.missing = missing ? Missing::right : Missing::heavier;
    return split;
  }

  LookaheadParams p_;
};

}  // namespace

std::unique_ptr<Lookahead> make_two_level_look(const LookaheadParams& params) {
  return std::make_unique<TwoLevelLook>(params);
}

}  // namespace dpdtree
