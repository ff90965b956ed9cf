#include "prove/interval_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "prove/interval_job.hpp"

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// One split at most, which a scan finds.
ExactChoice scan() {
  ExactChoice out;
  out.split = out.scan = true;
  return out;
}

}  // namespace

IntervalEnd IntervalSearch::end_of(u32 cut, double weight,
                                   const std::shared_ptr<const SolvedCut>& solved) {
  const Solved &left = solved->left, &right = solved->right;
  return {cut,    weight,         left.value.bound, right.value.bound,
          solved, left.any_depth, right.any_depth};
}

IntervalSearch::IntervalSearch(const ExactData& data, const ExactParams& params,
                               StopToken& stop, ThreadPool* pool)
    : data_(data),
      params_(params),
      stop_(stop),
      pool_(pool),
      plain_(params.without_limits()),
      stumps_(make_stump_solver(data, params.limits)),
      learns_(!stumps_->is_cheap()),
      side_of_(std::max(data.label.size(), data.y.size())),
      all_(rank_rows(data)) {}

IntervalSearch::IntervalSearch(const IntervalSearch& whole, AsHelper)
    : data_(whole.data_),
      params_(whole.params_),
      stop_(whole.stop_),
      plain_(whole.plain_),
      stumps_(make_stump_solver(data_, params_.limits)),
      learns_(whole.learns_),
      side_of_(whole.side_of_.size()) {
  if (params_.twins == nullptr) return;
  twins_.emplace(*params_.twins);
  params_.twins = &*twins_;
}

ExactValue IntervalSearch::value_of(const SubsetLoss& loss, u64 leaves) const {
  if (leaves == 1) return {loss.leaf, loss.leaf};
  const double penalty = params_.cost.penalty(loss.weight);
  return {std::min(loss.leaf, penalty + loss.stump),
          std::min(loss.leaf, penalty + loss.relaxed)};
}

Solved IntervalSearch::stump(const RankedRows& rows) {
  Solved out;
  if (rows.n == 0 || rows.order.empty()) return out;
  std::array<SubsetLoss, kLanes> losses;
  stumps_->solve(rows, {{{0, {}}}}, losses);
  ++evaluations_;
  out.value = value_of(losses[kWholeLane], 2);
  return out;
}

void IntervalSearch::set_whole(Job& job, const IntervalEnd& whole) {
  job.whole_known = true;
  for (CutIntervals& f : job.features) f.set_whole(whole);
}

void IntervalSearch::open_features(Job& job) {
  job.any_depth = kInf;
  job.features.clear();
  job.whole_known = false;
  for (u32 o = 0; o < job.rows.order.size(); ++o) {
    CutIntervals f(data_, job.rows, o);
    if (f.closed()) continue;
    learn_from_neighbours(job, f);
    job.features.push_back(std::move(f));
  }
  // Features that did well on the last subset of this level come first.
  if (promise_.size() <= job.levels) promise_.resize(job.levels + 1);
  auto& promise = promise_[job.levels];
  promise.resize(job.rows.order.size(), 0.0);
  std::stable_sort(job.features.begin(), job.features.end(),
                   [&](const CutIntervals& a, const CutIntervals& b) {
                     return promise[a.ordering()] < promise[b.ordering()];
                   });
  if (job.levels == 2) return;  // the first batch tells
  const u64 all_leaves = Cost::max_leaves(job.levels - 1);
  const bool all = job.left_leaves == all_leaves && job.right_leaves == all_leaves;
  if (all && job.is_root && proven_levels_ == job.levels - 1) {
    job.whole = proven_;
    set_whole(job, end_of(0, 0, proven_));
    return want_all_levels(job);
  }
  auto whole = std::make_shared<SolvedCut>();
  whole->left = solve(job.rows, job.levels - 1, job.left_leaves, {});
  whole->right = job.right_leaves == job.left_leaves
                     ? whole->left
                     : solve(job.rows, job.levels - 1, job.right_leaves, {});
  job.whole = whole;
  set_whole(job, end_of(0, 0, whole));
  for (const Solved* fewer : {&whole->left, &whole->right}) {
    take_if_better(job, fewer->value, fewer->choice ? *fewer->choice : scan());
  }
  if (all) want_all_levels(job);
}

void IntervalSearch::close(const Job& job, CutIntervals& f) const {
  f.close({job.target() - params_.tolerance, job.penalty, job.floor,
           params_.row_cost(job.levels - 1), job.deep});
}

// `next`: one, two or four. The first of them has the wanted cut, if there is one.
void IntervalSearch::evaluate_batch(Job& job, std::span<CutIntervals* const> next,
                                    u32 wanted) {
  CutBatch batch;
  const std::size_t most = CutBatch::most_cuts(next.size());
  for (CutIntervals* f : next) {
    const bool whole = !job.whole_known && f == next.back();  // takes a lane
    batch.parts.push_back({f->ordering(), f->spread(most - whole, wanted)});
    wanted = 0;
  }
  std::array<SubsetLoss, kLanes> losses;
  stumps_->solve(job.rows, batch, losses);
  for (std::size_t p = 0; p < next.size(); ++p) {
    const std::vector<u32>& cuts = batch.parts[p].cuts;
    std::vector<IntervalEnd> ends(cuts.size());
    for (std::size_t j = 0; j < cuts.size(); ++j) {
      const std::size_t lane = batch.lane(p, j);
      const ExactValue left = value_of(losses[lane], job.left_leaves);
      const ExactValue right = value_of(losses[kCuts + lane], job.right_leaves);
      ends[j] = {cuts[j],
                 next[p]->weight(cuts[j]),
                 left.bound,
                 right.bound,
                 nullptr,
                 any_depth(left.bound, 1),
                 any_depth(right.bound, 1)};
      consider(job, *next[p], ends[j], left, right);
    }
    next[p]->divide(ends, row_costs(job.levels - 1));
  }
  if (!job.whole_known) take_whole(job, losses[kWholeLane]);
}

void IntervalSearch::take_whole(Job& job, const SubsetLoss& all) {
  const double left = value_of(all, job.left_leaves).bound;
  const double right = value_of(all, job.right_leaves).bound;
  set_whole(job, {0, 0, left, right, nullptr, any_depth(left, 1), any_depth(right, 1)});
  take_if_better(job, value_of(all, 2), scan());
  if (job.left_leaves == 2 && job.right_leaves == 2) want_all_levels(job);
}

// Keeps the cut if it is the best so far.
void IntervalSearch::consider(Job& job, CutIntervals& f, const IntervalEnd& end,
                              ExactValue left, ExactValue right) const {
  job.best.bound = std::min(job.best.bound, job.penalty + left.bound + right.bound);
  job.any_depth = std::min(job.any_depth, job.penalty + end.any_left + end.any_right);
  double value = job.penalty + left.value + right.value;
  const StumpLimits& limits = params_.limits;
  const u32 fewer = std::min(end.cut, job.rows.n - end.cut);
  const double lighter = std::min(end.weight, job.rows.weight - end.weight);
  if (job.rows.n < limits.min_samples_split || fewer < limits.min_samples_leaf ||
      lighter < limits.min_weight_leaf)
    value = kInf;
  f.best = std::min(f.best, value);
  if (value >= job.best.value - params_.tolerance) return;
  job.best.value = value;
  if (value >= job.incumbent - params_.tolerance) return;
  job.choice = {
      true,    f.ordering(), f.rank(end.cut), job.left_leaves, job.right_leaves,
      nullptr, nullptr};
  if (end.solved == nullptr) return;
  job.choice.left = end.solved->left.choice;
  job.choice.right = end.solved->right.choice;
}

void IntervalSearch::evaluate(Job& job, std::span<CutIntervals* const> next,
                              u32 wanted) {
  if (stop_.poll()) throw SearchStopped{};
  ++evaluations_;
  if (job.levels == 2)
    evaluate_batch(job, next, wanted);
  else
    evaluate_deep(job, *next[0], wanted > 0 ? wanted : next[0]->least_bounded());
}

// What is best next to these rows is often best here.
void IntervalSearch::follow_neighbours(Job& job) {
  for (const Solved* near : {job.near.outer, job.near.inner}) {
    if (near == nullptr || near->choice == nullptr) continue;
    const ExactChoice& choice = *near->choice;
    if (!choice.split || choice.scan) continue;
    for (CutIntervals& f : job.features) {
      if (f.ordering() != choice.ordering) continue;
      close(job, f);
      CutIntervals* const next = &f;
      if (const u32 cut = f.open_cut(choice.rank); cut > 0)
        evaluate(job, {&next, 1}, cut);
    }
  }
}

// Always where the bound is least.
void IntervalSearch::run(Job& job, const Report* report) {
  constexpr std::size_t kManyCells = 20'000;  // threads are slow to wake
  const bool many = std::size_t{job.rows.n} * job.rows.order.size() >= kManyCells;
  const bool at_once = job.is_root && job.levels > 2 && many;
  for (;;) {
    std::vector<CutIntervals*> open;
    for (CutIntervals& f : job.features) {
      close(job, f);
      if (!f.closed()) open.push_back(&f);
    }
    std::size_t n = std::min(open.size(), at_once ? kCutsAtOnce : 1);
    if (job.levels == 2) n = std::bit_floor(std::min(open.size(), kPartsAtOnce));
    const auto first = open.begin() + static_cast<std::ptrdiff_t>(n);
    std::partial_sort(open.begin(), first, open.end(),
                      [](const CutIntervals* a, const CutIntervals* b) {
                        const double x = a->least_bound(), y = b->least_bound();
                        return x != y ? x < y : a < b;
                      });
    const double least = open.empty() ? kInf : open.front()->least_bound();
    if (report != nullptr)
      (*report)({job.target(), std::min(std::max(least, job.floor), job.target())});
    if (open.empty()) return;
    if (!at_once) {
      evaluate(job, {open.data(), n}, 0);
      continue;
    }
    if (stop_.poll()) throw SearchStopped{};
    evaluations_ += n;
    evaluate_at_once(job, {open.data(), n});
  }
}

// Every way to share the leaves out between the two sides is a search of its own (fewer
// leaves are never better); what one finds is the next one's incumbent. Without a limit
// there is one way only.
void IntervalSearch::share_out(Job& job, u64 leaves, const Report* report) {
  const u64 most = Cost::max_leaves(job.levels - 1);
  for (u64 left = leaves > most ? leaves - most : 1; left <= most && left < leaves;
       ++left) {
    job.left_leaves = left;
    job.right_leaves = leaves - left;
    open_features(job);
    const bool last = left + 1 > most || left + 1 >= leaves;
    // The bound of one way out of several says nothing about the others.
    const bool only = last && (left == 1 || left + most == leaves);
    follow_neighbours(job);
    run(job, only ? report : nullptr);
    for (const CutIntervals& f : job.features)
      if (std::isfinite(f.best))
        promise_[job.levels][f.ordering()] = f.best / job.rows.weight;
    if (last) break;
  }
}

Solved IntervalSearch::solve(const RankedRows& rows, u32 levels, u64 leaves,
                             const Neighbours& near) {
  Solved out;
  out.value = leaf_value(rows);
  const double leaf = out.value.value, apart = least_of_twins(rows);
  const u64 most_leaves = leaves < Cost::max_leaves(levels) ? leaves : ~0ULL;
  const double penalty = params_.cost.penalty(rows.weight);
  levels =
      static_cast<u32>(std::clamp<u64>(params_.levels_below(leaf - apart), 1, levels));
  const double floor =
      penalty + std::max(apart, least_of_classes(
                                    rows, std::min(leaves, Cost::max_leaves(levels))));
  out.any_depth = leaves <= 1 ? leaf : std::min(leaf, penalty + apart);
  if (leaves <= 1 || leaf <= floor + params_.tolerance) return out;
  Job job{rows, levels, near, penalty, out.value, kInf, floor, apart};
  if (levels == 1) {
    out = stump(rows);
    job.best = out.value;
    out.any_depth = std::min(any_depth(job, most_leaves), job.best.bound);
    return out;
  }
  start_from_neighbours(job);
  share_out(job, std::min(leaves, Cost::max_leaves(levels)), nullptr);
  out.value = job.best;
  out.any_depth = std::min(any_depth(job, most_leaves), job.best.bound);
  out.choice = std::make_shared<ExactChoice>(std::move(job.choice));
  if (most_leaves == ~0ULL) out.inner_cuts = out.outer_cuts = known_cuts(job);
  return out;
}

ExactSearch::Outcome IntervalSearch::prove(std::span<const u32> rows, u32 levels,
                                           u64 leaves, double incumbent,
                                           ExactChoice& choice, const Report& report) {
  if (rows.size() == all_.n)
    return prove_ranked(all_, levels, leaves, incumbent, choice, report);
  std::fill(side_of_.begin(), side_of_.end(), u8{0});
  for (const u32 i : rows) side_of_[i] = 1;
  RankedRows some;
  divide_rows(data_, all_, side_of_, nullptr, &some);
  return prove_ranked(some, levels, leaves, incumbent, choice, report);
}

ExactSearch::Outcome IntervalSearch::prove_ranked(const RankedRows& rows, u32 levels,
                                                  u64 leaves, double incumbent,
                                                  ExactChoice& choice,
                                                  const Report& report) {
  const ExactValue leaf = leaf_value(rows);
  const u64 most_leaves = leaves;
  leaves = std::min(leaves, Cost::max_leaves(levels));
  const double penalty = params_.cost.penalty(rows.weight);
  const double apart = least_of_twins(rows);
  const double floor = penalty + std::max(apart, least_of_classes(rows, leaves));
  Outcome out{std::min(incumbent, leaf.value), 0, false};
  double lower = std::min(floor, out.value);
  const auto progress = [&](Progress p) {
    lower = std::max(lower, std::min(p.lower_bound, p.objective));
    report({p.objective, lower});
  };
  const Neighbours alone;
  Job job{rows, levels, alone, penalty, leaf, incumbent, floor, apart};
  job.is_root = &rows == &all_;
  try {
    const bool worth = leaves > 1 && out.value > floor + params_.tolerance;
    if (worth && levels == 1) {
      job.best = stump(rows).value;
    } else if (worth) {
      const Report f = progress;
      share_out(job, leaves, &f);
    }
    out.complete = true;
  } catch (const SearchStopped&) {
  }
  out.value = std::min(out.value, job.target());
  out.lower_bound = out.complete ? out.value : std::min(lower, out.value);
  if (out.complete)
    out.any_depth = any_depth(job, most_leaves);
  else
    out.any_depth =
        std::min(out.lower_bound, apart + params_.price_of_levels(levels + 1));
  if (out.complete && job.is_root && leaves == Cost::max_leaves(levels)) {
    const double bound = std::min(job.best.bound, out.value) - params_.tolerance;
    Solved known;  // what the value is, but not by which tree
    known.value = {kInf, bound};
    known.any_depth = std::min(bound, out.any_depth);
    known.inner_cuts = known.outer_cuts = known_cuts(job);
    proven_levels_ = levels;
    proven_ = std::make_shared<SolvedCut>(SolvedCut{known, known});
  }
  choice = job.choice;
  return out;
}

}  // namespace dpdtree
