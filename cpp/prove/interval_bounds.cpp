// What bounds a set of rows before, and apart from, the evaluation of its cuts.
#include <cmath>

#include "loss/zero_one.hpp"
#include "prove/answer_costs.hpp"
#include "prove/interval_job.hpp"

namespace dpdtree {

ExactValue IntervalSearch::leaf_value(const RankedRows& rows) const {
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
  const double loss = loss_of(params_.cost.loss, data_, {stats.data(), width});
  return {loss, loss};
}

double IntervalSearch::least_of_twins(const RankedRows& rows) const {
  return rows.order.empty() ? 0 : params_.least_of_twins(rows.order[0]);
}

// With fewer leaves than classes.
double IntervalSearch::least_of_classes(const RankedRows& rows, u64 leaves) const {
  if (rows.order.empty() || data_.n_classes == 0 || leaves >= data_.n_classes ||
      params_.cost.loss != Criterion::zero_one)
    return 0;
  std::vector<double> counts(data_.n_classes, 0.0);
  for (const u32 entry : rows.order[0])
    counts[data_.label[entry & kRowMask]] += data_.weight_of(entry & kRowMask);
  return ZeroOne::least_impurity(counts, leaves);
}

// What a level less gets needs no search.
void IntervalSearch::take_if_better(Job& job, const ExactValue& fewer,
                                    const ExactChoice& choice) const {
  job.best.bound = std::min(job.best.bound, fewer.bound);
  if (fewer.value >= job.best.value - params_.tolerance) return;
  job.best.value = fewer.value;
  if (fewer.value < job.incumbent - params_.tolerance) job.choice = choice;
}

// From here on: trees with fewer are known.
void IntervalSearch::want_all_levels(Job& job) const {
  job.deep = params_.price_of_levels(job.levels - 1);
  const double least = job.apart + params_.price_of_levels(job.levels);
  job.floor = std::max(job.floor, least);
  job.any_floor = std::max(job.any_floor, least);
}

// Can the neighbours' values be told apart from this one at all?
bool IntervalSearch::settled(const Neighbours& near, u32 levels, Solved& out) const {
  if (!plain_ || near.outer == nullptr || near.inner == nullptr) return false;
  const double cost = params_.row_cost(levels);
  const double outer = near.outer->value.value, inner = near.inner->value.value;
  double least = inner, most = outer;
  if (std::isfinite(cost)) {
    least = std::max(least, near.outer->value.bound - cost * near.outer_exceeds);
    most = std::min(most, inner + cost * near.inner_lacks);
  }
  if (least < most - params_.tolerance) return false;
  out.value = {most, most};
  out.choice = most < outer ? near.inner->choice : near.outer->choice;
  out.any_depth = near.inner->any_depth;
  if (std::isfinite(cost) && params_.row_cost_per_level == 0)
    out.any_depth =
        std::max(out.any_depth, near.outer->any_depth - cost * near.outer_exceeds);
  out.inner_cuts = near.inner->inner_cuts;
  out.outer_cuts = near.outer->outer_cuts;
  return true;
}

// Bounds from both sides, and a tree that is known to do as well as the upper one.
void IntervalSearch::start_from_neighbours(Job& job) const {
  const double cost = params_.row_cost(job.levels);
  const Solved *inner = job.near.inner, *outer = job.near.outer;
  const auto start = [&](const Solved& from, double value) {
    if (!plain_ || from.choice == nullptr || value >= job.best.value) return;
    job.best = {value, value};
    job.choice = *from.choice;
  };
  const auto raise = [&](double bound, double any, double less) {
    job.floor = std::max(job.floor, bound - less);
    job.any_floor = std::max(job.any_floor, any - less);
  };
  if (outer != nullptr) start(*outer, outer->value.value);
  if (outer != nullptr && std::isfinite(cost))
    raise(outer->value.bound, outer->any_depth, cost * job.near.outer_exceeds);
  if (inner == nullptr) return;
  raise(inner->value.bound, inner->any_depth, 0);
  if (std::isfinite(cost))
    start(*inner, inner->value.value + cost * job.near.inner_lacks);
}

RowCosts IntervalSearch::row_costs(u32 levels) const {
  const double cost = params_.row_cost(levels);
  // Beyond these levels a row more may cost more.
  const bool any = params_.row_cost_per_level == 0;
  return {cost, any ? cost : std::numeric_limits<double>::infinity()};
}

// Trees of fewer levels say nothing.
const KnownCuts* IntervalSearch::usable(const std::shared_ptr<const KnownCuts>& cuts,
                                        const Job& job) {
  return cuts != nullptr && cuts->levels >= job.levels ? cuts.get() : nullptr;
}

// Batches of two classes are hardly more work than keeping what they tell.
void IntervalSearch::learn_from_neighbours(const Job& job, CutIntervals& f) const {
  if (!learns_) return;
  const Solved *inner = job.near.inner, *outer = job.near.outer;
  f.learn(inner != nullptr ? usable(inner->inner_cuts, job) : nullptr,
          outer != nullptr ? usable(outer->outer_cuts, job) : nullptr,
          row_costs(job.levels - 1));
}

std::shared_ptr<const KnownCuts> IntervalSearch::known_cuts(const Job& job) const {
  if (!learns_) return nullptr;
  auto out = std::make_shared<KnownCuts>();
  out->levels = job.levels;
  out->n = job.rows.n;
  out->weight = job.rows.weight;
  out->of.resize(job.rows.order.size());
  for (const CutIntervals& f : job.features)
    out->of[f.ordering()] = f.known(row_costs(job.levels - 1));
  return out;
}

// What no tree of however many levels is better than. What the cuts say holds only
// where a row more costs the same in all of them, and where there is one way to share
// the leaves out.
double IntervalSearch::any_depth(const Job& job, u64 leaves) const {
  const double value = job.target();
  if (leaves <= job.levels + 1) return value;
  double any = std::max(job.penalty, params_.price_of_levels(job.levels + 1));
  any += job.apart;
  const bool one_way = leaves >= Cost::max_leaves(job.levels);
  if (params_.row_cost_per_level == 0 && one_way) {
    double known = job.any_depth;
    for (const CutIntervals& f : job.features) known = std::min(known, f.any_depth);
    any = std::max({any, job.any_floor, known});
  }
  return std::min(value, any);
}

}  // namespace dpdtree
