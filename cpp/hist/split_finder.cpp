#include "hist/split_finder.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"
#include "base/tolerance.hpp"
#include "hist/block_scans.hpp"
#include "simd/dispatch.hpp"

namespace dpdtree::boosting {
SplitFinder::SplitFinder(const BinnedData& data, const Params& params,
                         const Units& units)
    : data_(&data),
      params_(&params),
      units_(units),
      cost_(params.l2_regularization, params.reg_alpha, units),
      min_count_(std::max(1u, params.min_samples_leaf)),
      monotonic_(std::any_of(params.monotonic_cst.begin(), params.monotonic_cst.end(),
                             [](int c) { return c != 0; })),
      plain_(!monotonic_ && params.reg_alpha == 0 && !units.wide()) {}

bool SplitFinder::better(const FoundSplit& a, const FoundSplit& b) {
  if (a.valid != b.valid) return a.valid;
  if (a.gain != b.gain) return a.gain > b.gain;
  return a.rule.feature < b.rule.feature;
}

bool SplitFinder::may_be_split(const NodeContext& node) const {
  if (params_->max_depth > 0 && node.depth >= params_->max_depth) return false;
  return node.total.count >= 2 * min_count_;
}

double SplitFinder::node_score(const NodeContext& node) const {
  if (!monotonic_) return cost_.score(node.total);
  return cost_.score(node.total, cost_.value(node.total, node));
}

bool SplitFinder::within_limits(const GradientSum& left,
                                const GradientSum& right) const {
  const double hl = units_.hessian_of(left), hr = units_.hessian_of(right);
  const double l2 = params_->l2_regularization;
  return left.count >= min_count_ && right.count >= min_count_ &&
         hl >= params_->min_child_weight && hr >= params_->min_child_weight &&
         (hl + l2) * (hr + l2) > 0;
}

// -infinity for a split that breaks a limit.
double SplitFinder::score(const GradientSum& left, const GradientSum& right,
                          const NodeContext& node, u32 feature) const {
  constexpr double kInvalid = -std::numeric_limits<double>::infinity();
  if (!within_limits(left, right)) return kInvalid;
  if (!monotonic_) return cost_.pair(left, right);
  const double vl = cost_.value(left, node), vr = cost_.value(right, node);
  const int sign = direction(feature);
  if ((sign > 0 && vl > vr) || (sign < 0 && vl < vr)) return kInvalid;
  return cost_.score(left, vl) + cost_.score(right, vr);
}

// The best split so far of a block; keeps the first of equals.
class SplitFinder::Best {
 public:
  Best(const SplitFinder& finder, const NodeContext& node, double reached)
      : finder_(&finder),
        node_(&node),
        score_(finder.node_score(node)),
        reached_(reached) {
    parent_ = score_;
    // Gains this small beside the node's own score are rounding.
    score_ += 2 * finder.params_->gamma + kRounding * std::fabs(parent_);
    floor_ = score_;
  }

  const NodeContext& node() const { return *node_; }
  // What a split has to beat. Those that score as the best one does are still looked
  // at, though they may lose to it: the smaller feature wins.
  double floor() const {
    const double top = std::max(score_, reached_);
    return std::max(floor_, top - kTies * std::fabs(top));
  }
  double reached() const {
    return found_.valid ? std::max(score_, reached_) : reached_;
  }

  void offer(const BinnedSplit& rule, const GradientSum& left, double price = 0) {
    const GradientSum right = node_->total - left;
    take(rule, finder_->score(left, right, *node_, rule.feature) - 2 * price);
  }
  void take(const BinnedSplit& rule, double score) {
    if (!(score > score_ ||
          (found_.valid && score == score_ && rule.feature < found_.rule.feature)))
      return;
    score_ = score;
    found_ = {true, 0, rule, {}};
  }
  FoundSplit result() {
    found_.gain = (score_ - parent_) / 2 - finder_->params_->gamma;
    return found_;
  }

 private:
  static constexpr double kTies = 1e-15;

  const SplitFinder* finder_;
  const NodeContext* node_;
  double score_;
  double reached_;
  double parent_;
  double floor_;
  FoundSplit found_;
};

// Four neighbouring columns; those that are no plain numeric features sit it out.
void SplitFinder::scan_four(const Block& block, const Bin* histogram, u32 first,
                            Best& best) const {
  const NodeContext& node = best.node();
  LaneScan scan;
  scan.bins = histogram + block.bins_at + first;
  scan.stride = block.width;
  scan.units = units_;
  scan.gradient_total = units_.gradient_of(node.total);
  scan.hessian_total = units_.hessian_of(node.total);
  scan.count_total = node.total.count;
  scan.l2 = params_->l2_regularization;
  scan.min_hessian = params_->min_child_weight;
  scan.min_count = min_count_;
  u32 feature[4]{};
  bool use[4]{}, missing[4]{};
  bool any_missing = false;
  for (u32 i = 0; i < 4 && first + i < block.used; ++i) {
    const PackedColumn& column = data_->columns()[block.first_column + first + i];
    feature[i] = column.members[0].feature;
    use[i] = !column.bundled && !data_->bins(feature[i]).categorical &&
             allowed(node, feature[i]);
    missing[i] = use[i] && data_->has_missing(feature[i]);
    any_missing |= missing[i];
  }
  for (const bool missing_left : {false, true}) {
    if (missing_left && !any_missing) break;
    const double floor = best.floor();
    double top[4];
    u32 cut[4];
    for (u32 i = 0; i < 4; ++i) {
      const u32 n_values = data_->bins(feature[i]).n_values;
      const bool on = use[i] && (!missing_left || missing[i]);
      top[i] = floor;
      scan.start[i] = missing_left && on
                          ? scan.bins[std::size_t{n_values} * scan.stride + i]
                          : Bin{};
      // "All values left, the missing ones right" is a cut of its own.
      scan.n_cuts[i] = on ? i64{n_values} - (missing[i] && !missing_left ? 0 : 1) : 0;
      scan.n_bins = std::max(i > 0 ? scan.n_bins : 0, static_cast<u32>(scan.n_cuts[i]));
    }
    kernels().gradient.scan(scan, top, cut);
    for (u32 i = 0; i < 4; ++i) {
      if (!(top[i] > floor)) continue;
      const BinnedSplit rule{feature[i], false, missing_left, cut[i], {}};
      best.take(rule, top[i]);
    }
  }
}

FoundSplit SplitFinder::best_of_block(const Block& block, const Bin* histogram,
                                      const NodeContext& node, double& reached) const {
  Best best(*this, node, reached);
  const auto offer = [&](const BinnedSplit& rule, const GradientSum& left) {
    best.offer(rule, left);
  };
  const auto offer_set = [&](const BinnedSplit& rule, const GradientSum& left,
                             double price) { best.offer(rule, left, price); };
  for (u32 slot = 0; slot < block.used; ++slot) {
    if (plain_ && slot % 4 == 0) scan_four(block, histogram, slot, best);
    const PackedColumn& column = data_->columns()[block.first_column + slot];
    const HistogramColumn view(histogram, block, slot, units_, node.total);
    for (const Member& member : column.members) {
      if (!allowed(node, member.feature)) continue;
      const FeatureBins& f = data_->bins(member.feature);
      if (f.categorical)
        for_category_sets(view, member.feature, f.n_values, units_, offer_set);
      else if (column.bundled)
        for_bundled_cuts(view, member, f.n_values, offer);
      else if (!plain_)
        for_cuts(view, member.feature, f.n_values, data_->has_missing(member.feature),
                 offer);
    }
  }
  reached = best.reached();
  return best.result();
}

void SplitFinder::complete(FoundSplit& split, const Bin* histogram,
                           const NodeContext& node) const {
  const u32 feature = split.rule.feature;
  split.left = left_sum(split.rule, histogram);
  const bool bundled = data_->columns()[data_->column_of(feature)].bundled;
  const auto n_missing = [&] {
    return column_of(feature, histogram)[data_->bins(feature).n_values].count;
  };
  if (bundled || n_missing() == 0)
    split.rule.missing_left =
        units_.hessian_of(split.left) > units_.hessian_of(node.total - split.left);
}

HistogramColumn SplitFinder::column_of(u32 feature, const Bin* histogram) const {
  const u32 column = data_->column_of(feature);
  const Block& block = data_->block_of(column);
  return {histogram, block, column - block.first_column, units_};
}

GradientSum SplitFinder::left_sum(const BinnedSplit& rule, const Bin* histogram) const {
  const u32 n_codes = data_->columns()[data_->column_of(rule.feature)].n_codes;
  return column_of(rule.feature, histogram).sum(data_->sides(rule), n_codes);
}

FoundSplit SplitFinder::judge(const BinnedSplit& rule, const GradientSum& left,
                              const NodeContext& node) const {
  FoundSplit split{true, 0, rule, left};
  const double s = score(left, node.total - left, node, rule.feature);
  split.valid = std::isfinite(s);
  split.gain = (s - node_score(node)) / 2 - params_->gamma;
  return split;
}

}  // namespace dpdtree::boosting
