#include "solve/exact/threshold_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "objective/measure.hpp"

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

// Cuts lo … hi-1 have not been evaluated; values are known at lo-1 and at hi (at the
// ends of the feature: of the empty set and of all rows).
struct ThresholdSearch::Interval {
  u32 lo, hi;
  double a_lo, b_lo, w_lo;
  double a_hi, b_hi, w_hi;
  double bound = 0;
};

struct ThresholdSearch::Feature {
  u32 ordering = 0;
  std::vector<u32> left_rows;  // per cut
  std::vector<double> weight;  // on the left, per cut
  std::vector<Interval> open;
  double best = kInf;

  double least_bound() const {
    double least = kInf;
    for (const Interval& i : open) least = std::min(least, i.bound);
    return least;
  }
};

struct ThresholdSearch::Job {
  const RankedRows& rows;
  u32 levels;
  u64 left_leaves, right_leaves;  // how many leaves each side may have
  double penalty;
  ExactValue best;          // leaf, or the best split so far
  double incumbent = kInf;  // known from elsewhere
  double floor = 0;         // no tree of these levels is better
  ExactChoice choice;
  std::vector<Feature> features;

  // What an interval has to beat. The value under the limits decides, so that the
  // relaxed minimum below it is found on the way.
  double target() const { return std::min(best.value, incumbent); }
};

ThresholdSearch::ThresholdSearch(const ExactData& data, const ExactParams& params,
                                 StopToken& stop)
    : data_(data),
      params_(params),
      stop_(stop),
      stumps_(make_stump_solver(data, params.limits)),
      step_(std::max(data.label.size(), data.y.size())) {}

double ThresholdSearch::row_cost(u32 levels) const {
  if (params_.cost.loss != Measure::zero_one) return kInf;
  return 1 + params_.row_cost_per_level * (levels - 1);
}

ExactValue ThresholdSearch::leaf_value(const RankedRows& rows) const {
  std::vector<double> stats(std::max(data_.n_classes, 3u), 0.0);
  if (rows.order.empty() || rows.n == 0) return {0, 0};
  for (const u32 entry : rows.order[0]) {
    const u32 i = entry & kRowMask;
    const double w = data_.weight_of(i);
    if (data_.n_classes > 0) {
      stats[data_.label[i]] += w;
    } else {
      stats[0] += w;
      stats[1] += w * data_.y[i];
      stats[2] += w * data_.y[i] * data_.y[i];
    }
  }
  const std::size_t width = data_.n_classes > 0 ? data_.n_classes : 3;
  const double loss = mass(params_.cost.loss, {stats.data(), width});
  return {loss, loss};
}

double ThresholdSearch::least_loss(const RankedRows& rows, u64 leaves) const {
  if (data_.n_classes == 0 || leaves >= data_.n_classes || rows.order.empty()) return 0;
  std::vector<double> counts(data_.n_classes, 0.0);
  for (const u32 entry : rows.order[0])
    counts[data_.label[entry & kRowMask]] += data_.weight_of(entry & kRowMask);
  return least_mass(params_.cost.loss, counts, leaves);
}

ExactValue ThresholdSearch::value_of(const SubsetLoss& loss, u64 leaves) const {
  if (leaves == 1) return {loss.leaf, loss.leaf};
  const double penalty = params_.cost.penalty(loss.weight);
  return {std::min(loss.leaf, penalty + loss.stump),
          std::min(loss.leaf, penalty + loss.relaxed)};
}

ExactValue ThresholdSearch::stump_value(const RankedRows& rows) {
  if (rows.n == 0 || rows.order.empty()) return {0, 0};
  for (const u32 entry : rows.order[0]) step_[entry & kRowMask] = 0;
  std::array<SubsetLoss, kLanes> out;
  stumps_->solve(rows, step_, 1, out);
  ++evaluations_;
  return value_of(out[0], 2);
}

void ThresholdSearch::open_features(Job& job) {
  // All rows on one side: where the intervals of every feature end.
  const double all_left =
      solve(job.rows, job.levels - 1, job.left_leaves, nullptr).bound;
  const double all_right =
      job.right_leaves == job.left_leaves
          ? all_left
          : solve(job.rows, job.levels - 1, job.right_leaves, nullptr).bound;
  for (u32 o = 0; o < job.rows.order.size(); ++o) {
    Feature f;
    f.ordering = o;
    double weight = 0;
    const auto& order = job.rows.order[o];
    for (u32 i = 0; i + 1 < order.size(); ++i) {
      weight += data_.weight_of(order[i] & kRowMask);
      if ((order[i] & kGroupEnd) == 0) continue;
      f.left_rows.push_back(i + 1);
      f.weight.push_back(weight);
    }
    const auto n_cuts = static_cast<u32>(f.left_rows.size());
    if (n_cuts == 0) continue;
    f.open.push_back({0, n_cuts, 0, all_right, 0, all_left, 0, job.rows.weight, 0});
    job.features.push_back(std::move(f));
  }
  // Features that did well on the last subset of this level come first.
  if (promise_.size() <= job.levels) promise_.resize(job.levels + 1);
  auto& promise = promise_[job.levels];
  promise.resize(job.rows.order.size(), 0.0);
  std::stable_sort(job.features.begin(), job.features.end(),
                   [&](const Feature& a, const Feature& b) {
                     return promise[a.ordering] < promise[b.ordering];
                   });
}

// Drops what cannot contain a better cut: near an end by the cost of a row, as a whole
// by the bounds of both ends.
void ThresholdSearch::close_intervals(Job& job, Feature& f) const {
  const double target = job.target() - params_.tolerance;
  const double cost = row_cost(job.levels);
  const auto closed = [&](Interval& i) {
    if (std::isfinite(cost)) {
      const double spare_lo = (job.penalty + i.a_lo + i.b_lo - target) / cost;
      const double spare_hi = (job.penalty + i.a_hi + i.b_hi - target) / cost;
      while (i.lo < i.hi && f.weight[i.lo] - i.w_lo <= spare_lo) ++i.lo;
      while (i.lo < i.hi && i.w_hi - f.weight[i.hi - 1] <= spare_hi) --i.hi;
    }
    i.bound = std::max(job.floor, job.penalty + i.a_lo + i.b_hi);
    if (std::isfinite(cost))
      i.bound =
          std::max(i.bound, job.penalty + i.a_hi + i.b_lo - cost * (i.w_hi - i.w_lo));
    return i.lo >= i.hi || i.bound >= target;
  };
  std::erase_if(f.open, closed);
}

// Spreads a batch over the open intervals, the least bounded first.
std::vector<u32> ThresholdSearch::choose_cuts(const Job& job, const Feature& f) const {
  std::vector<const Interval*> open;
  for (const Interval& i : f.open) open.push_back(&i);
  std::stable_sort(open.begin(), open.end(),
                   [](const auto* x, const auto* y) { return x->bound < y->bound; });
  const std::size_t most = job.levels == 2 ? kCuts : 1;
  if (open.size() > most) open.resize(most);
  std::vector<u32> cuts;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Interval& i = *open[k];
    const std::size_t share = most / open.size() + (k < most % open.size() ? 1 : 0);
    const double w0 = i.lo > 0 ? f.weight[i.lo - 1] : 0;
    const double w1 = f.weight[i.hi - 1];
    for (std::size_t j = 1; j <= share; ++j) {
      const double wanted =
          w0 + (w1 - w0) * static_cast<double>(j) / static_cast<double>(share + 1);
      const auto first = f.weight.begin() + i.lo, last = f.weight.begin() + i.hi;
      auto it = std::lower_bound(first, last, wanted);
      if (it == last) --it;
      cuts.push_back(static_cast<u32>(it - f.weight.begin()));
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

void ThresholdSearch::evaluate_batch(
    Job& job, const Feature& f, const std::vector<u32>& cuts,
    std::vector<std::pair<ExactValue, ExactValue>>& out) {
  const auto& order = job.rows.order[f.ordering];
  u32 begin = 0;
  for (std::size_t j = 0; j <= cuts.size(); ++j) {
    const u32 end = j < cuts.size() ? f.left_rows[cuts[j]] : job.rows.n;
    for (u32 i = begin; i < end; ++i) step_[order[i] & kRowMask] = static_cast<u8>(j);
    begin = end;
  }
  std::array<SubsetLoss, kLanes> losses;
  stumps_->solve(job.rows, step_, cuts.size(), losses);
  for (std::size_t j = 0; j < cuts.size(); ++j)
    out[j] = {value_of(losses[j], job.left_leaves),
              value_of(losses[kCuts + j], job.right_leaves)};
}

std::pair<ExactValue, ExactValue> ThresholdSearch::evaluate_deep(Job& job,
                                                                 const Feature& f,
                                                                 u32 cut,
                                                                 ExactChoice& choice) {
  const std::size_t depth = job.levels;
  if (left_.size() <= depth) {
    left_.resize(depth + 1);
    right_.resize(depth + 1);
  }
  const auto& order = job.rows.order[f.ordering];
  const u32 n_left = f.left_rows[cut];
  for (u32 i = 0; i < job.rows.n; ++i) step_[order[i] & kRowMask] = i >= n_left;
  // Taken out while in use: deeper levels may grow the vectors.
  RankedRows left = std::move(left_[depth]), right = std::move(right_[depth]);
  filter_rows(data_, job.rows, step_, 0, left);
  filter_rows(data_, job.rows, step_, 1, right);
  auto left_choice = std::make_shared<ExactChoice>();
  auto right_choice = std::make_shared<ExactChoice>();
  std::pair<ExactValue, ExactValue> out;
  out.first = solve(left, job.levels - 1, job.left_leaves, left_choice.get());
  out.second = solve(right, job.levels - 1, job.right_leaves, right_choice.get());
  choice.left = std::move(left_choice);
  choice.right = std::move(right_choice);
  left_[depth] = std::move(left);
  right_[depth] = std::move(right);
  return out;
}

void ThresholdSearch::divide(
    Job& job, Feature& f, const std::vector<u32>& cuts,
    const std::vector<std::pair<ExactValue, ExactValue>>& values) {
  std::vector<Interval> next;
  std::size_t j = 0;
  for (const Interval& i : f.open) {
    Interval rest = i;
    for (; j < cuts.size() && cuts[j] < i.hi; ++j) {
      if (cuts[j] < rest.lo) continue;
      Interval before = rest;
      before.hi = cuts[j];
      rest.lo = cuts[j] + 1;
      before.a_hi = rest.a_lo = values[j].first.bound;
      before.b_hi = rest.b_lo = values[j].second.bound;
      before.w_hi = rest.w_lo = f.weight[cuts[j]];
      next.push_back(before);
    }
    next.push_back(rest);
  }
  f.open = std::move(next);
  close_intervals(job, f);
}

void ThresholdSearch::evaluate(Job& job, u32 index, const std::vector<u32>& cuts) {
  if (stop_.poll()) throw SearchStopped{};
  Feature& f = job.features[index];
  std::vector<std::pair<ExactValue, ExactValue>> values(cuts.size());
  std::vector<ExactChoice> choices(cuts.size());
  if (job.levels == 2)
    evaluate_batch(job, f, cuts, values);
  else
    for (std::size_t j = 0; j < cuts.size(); ++j)
      values[j] = evaluate_deep(job, f, cuts[j], choices[j]);
  ++evaluations_;
  for (std::size_t j = 0; j < cuts.size(); ++j) {
    const auto& [a, b] = values[j];
    const double relaxed = job.penalty + a.bound + b.bound;
    job.best.bound = std::min(job.best.bound, relaxed);
    double value = job.penalty + a.value + b.value;
    if (job.rows.n < params_.limits.min_samples_split ||
        f.left_rows[cuts[j]] < params_.limits.min_samples_leaf ||
        job.rows.n - f.left_rows[cuts[j]] < params_.limits.min_samples_leaf ||
        f.weight[cuts[j]] < params_.limits.min_weight_leaf ||
        job.rows.weight - f.weight[cuts[j]] < params_.limits.min_weight_leaf)
      value = kInf;
    f.best = std::min(f.best, value);
    if (value >= job.best.value - params_.tolerance) continue;
    job.best.value = value;
    if (value >= job.incumbent - params_.tolerance) continue;
    job.choice = choices[j];
    job.choice.split = true;
    job.choice.ordering = f.ordering;
    job.choice.left_rows = f.left_rows[cuts[j]];
    job.choice.left_leaves = job.left_leaves;
    job.choice.right_leaves = job.right_leaves;
  }
  divide(job, f, cuts, values);
}

void ThresholdSearch::run(Job& job, const std::function<void(Progress)>* report) {
  // A first look at every feature, then always where the bound is least.
  for (u32 k = 0; k < job.features.size(); ++k) {
    close_intervals(job, job.features[k]);
    if (!job.features[k].open.empty())
      evaluate(job, k, choose_cuts(job, job.features[k]));
    if (report != nullptr) (*report)({job.target(), job.floor});
  }
  for (;;) {
    u32 next = 0;
    double least = kInf;
    for (u32 k = 0; k < job.features.size(); ++k) {
      close_intervals(job, job.features[k]);
      const double bound = job.features[k].least_bound();
      if (bound >= least) continue;
      least = bound;
      next = k;
    }
    if (report != nullptr) (*report)({job.target(), std::min(least, job.target())});
    if (least == kInf) return;
    evaluate(job, next, choose_cuts(job, job.features[next]));
  }
}

// Every way to share the leaves out between the two sides is a search of its own (fewer
// leaves are never better); what one finds is the next one's incumbent. Without a limit
// there is one way only.
void ThresholdSearch::share_out(Job& job, u64 leaves,
                                const std::function<void(Progress)>* report) {
  const u64 most = most_leaves(job.levels - 1);
  for (u64 left = leaves > most ? leaves - most : 1; left <= most && left < leaves;
       ++left) {
    job.left_leaves = left;
    job.right_leaves = leaves - left;
    job.features.clear();
    open_features(job);
    const bool last = left + 1 > most || left + 1 >= leaves;
    // The bound of one way out of several says nothing about the others.
    const bool only = last && (left == 1 || left + most == leaves);
    run(job, only ? report : nullptr);
    for (const Feature& f : job.features)
      if (std::isfinite(f.best))
        promise_[job.levels][f.ordering] = f.best / job.rows.weight;
    if (last) break;
  }
}

ExactValue ThresholdSearch::solve(const RankedRows& rows, u32 levels, u64 leaves,
                                  ExactChoice* choice) {
  const ExactValue leaf = leaf_value(rows);
  leaves = std::min(leaves, most_leaves(levels));
  const double penalty = params_.cost.penalty(rows.weight);
  const double floor = penalty + least_loss(rows, leaves);
  if (leaves <= 1 || leaf.value <= floor + params_.tolerance) return leaf;
  if (levels == 1) return stump_value(rows);
  Job job{rows, levels, 0, 0, penalty, leaf, kInf, floor, {}, {}};
  share_out(job, leaves, nullptr);
  if (choice != nullptr) *choice = job.choice;
  return job.best;
}

ThresholdSearch::Outcome ThresholdSearch::prove(
    const RankedRows& rows, u32 levels, u64 leaves, double incumbent,
    ExactChoice& choice, const std::function<void(Progress)>& report) {
  const ExactValue leaf = leaf_value(rows);
  leaves = std::min(leaves, most_leaves(levels));
  const double penalty = params_.cost.penalty(rows.weight);
  const double floor = penalty + least_loss(rows, leaves);
  Outcome out{std::min(incumbent, leaf.value), 0, false};
  double lower = std::min(floor, out.value);
  const auto progress = [&](Progress p) {
    lower = std::max(lower, std::min(p.lower_bound, p.objective));
    report({p.objective, lower});
  };
  Job job{rows, levels, 0, 0, penalty, leaf, incumbent, floor, {}, {}};
  try {
    const bool worth = leaves > 1 && leaf.value > floor + params_.tolerance;
    if (worth && levels == 1) {
      out.value = std::min(out.value, stump_value(rows).value);
    } else if (worth) {
      const std::function<void(Progress)> f = progress;
      share_out(job, leaves, &f);
    }
    out.complete = true;
  } catch (const SearchStopped&) {
  }
  out.value = std::min(out.value, job.target());
  out.lower_bound = out.complete ? out.value : std::min(lower, out.value);
  choice = job.choice;
  return out;
}

}  // namespace dpdtree
