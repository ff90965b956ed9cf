#include "search/tuning.hpp"

#include <cmath>
#include <limits>

#include "search/folds.hpp"
#include "search/held_out.hpp"
#include "search/noise_gate.hpp"

namespace dpdtree {
namespace {

constexpr double kTie = 1e-9;  // of a sum over rows that differs by rounding alone

TuningGrid grid_of(const TreeParams& p) {
  TuningGrid grid{p.price_scales, p.shrinkages};
  if (grid.price_scales.empty()) grid.price_scales = {1.0};
  if (grid.shrinkages.empty()) grid.shrinkages = {0.0};
  return grid;
}

Tuned point_of(const TuningGrid& grid, std::size_t i) {
  Tuned out{grid.price_scales[i / grid.shrinkages.size()],
            grid.shrinkages[i % grid.shrinkages.size()]};
  if (out.one_leaf()) out.shrinkage = 0;
  return out;
}

// Other folds may ask meanwhile where this one lacks an answer.
void add_losses_elsewhere(const Search& s, const Fold& fold, const TuningGrid& grid,
                          std::span<double> sums) {
  try {
    add_held_out_losses(s, s.set.targets, fold, grid, sums);
  } catch (const Unanswered&) {
    return;
  }
}

// Copies of a row on both sides of a fold take weights, and so a search, of their own.
void add_losses(const Search& s, const TrainingData& data, const Fold& fold,
                const TuningGrid& grid, std::span<double> sums) {
  const Targets& truth = s.set.targets;
  if (fold.training_part > 0) return add_losses_elsewhere(s, fold, grid, sums);
  if (fold.train.empty() || fold.test.empty()) return;
  if (fold.train_weight.empty()) return add_held_out_losses(s, truth, fold, grid, sums);
  TrainingData part = data;
  part.weights = fold.train_weight.data();
  TreeParams params = s.params;
  params.price_scales.clear();
  params.shrinkages.clear();
  params.noise_level = 0;
  const auto own = prepare(part, params, s.stop, s.pool);
  add_held_out_losses(*own, truth, fold, grid, sums);
}

Tuned nothing_but_noise() { return {std::numeric_limits<double>::infinity(), 0}; }

Tuned tune_by_folds(const Search& s, const TrainingData& data) {
  const TuningGrid grid = grid_of(s.params);
  if (grid.size() == 1) return point_of(grid, 0);
  std::vector<double> sums(grid.size(), 0.0);
  for (const Fold& fold : make_folds(s, data, kFolds)) {
    if (s.stop.stopped()) break;
    add_losses(s, data, fold, grid, sums);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < sums.size(); ++i)
    if (sums[i] < sums[best] - kTie * std::fabs(sums[best])) best = i;
  return point_of(grid, best);
}

}  // namespace

Tuned tune(const Search& s, const TrainingData& data) {
  if (s.stop.stopped()) return {};
  const bool doubtful =
      s.params.noise_level > 0 && splits_are_noise(s, s.params.noise_level);
  if (doubtful && s.strategy == Strategy::greedy) return nothing_but_noise();
  Tuned best = tune_by_folds(s, data);
  best.doubtful = doubtful;
  return best;
}

Tuned tuned_without_noise(const Search& s, const Plan& plan) {
  const bool noise = s.tuned.doubtful && !s.tuned.one_leaf() &&
                     splits_are_noise(s, plan, s.params.noise_level);
  return noise ? nothing_but_noise() : s.tuned;
}

}  // namespace dpdtree
