#include "boost/remote_booster.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/rng.hpp"
#include "boost/leaf_values.hpp"
#include "boost/noise_share.hpp"
#include "boost/tree_writer.hpp"

namespace dpdtree::boosting {
namespace {

// Trees of different outputs share their rounds, so many at a time.
constexpr u32 kTreesAtOnce = 16;

}  // namespace

RemoteBooster::RemoteBooster(u32 n_classes, Params params, BinnedData layout, Ask ask)
    : params_(std::move(params)),
      loss_(make_loss(params_.loss, {n_classes, params_.quantile})),
      layout_(std::move(layout)),
      model_{layout_.n_features(), loss_->n_outputs(), {}, {}} {
  for (u32 f = 0; f < layout_.n_features(); ++f)
    charges_sets_ |= layout_.bins(f).categorical;
  rows_ = std::make_unique<RemoteRows>(std::move(ask), *loss_, charges_sets_);
}

void RemoteBooster::begin() {
  rows_->start(*loss_);
  model_.baseline = rows_->baseline();
  const u32 n_growers = std::min(kTreesAtOnce, model_.n_outputs);
  for (u32 i = 0; i < n_growers; ++i)
    growers_.emplace_back(layout_, params_, rows_->sizes().n_usable);
  rows_->prepare();
  const std::vector<u8>& missing = rows_->prepared().has_missing;
  for (u32 f = 0; f < layout_.n_features(); ++f)
    if (missing.at(f) != 0) layout_.note_missing(f);
}

bool RemoteBooster::step(ThreadPool& pool, StopToken& stop) {
  if (stop.poll()) return false;
  Trees trees(model_.n_outputs);
  try {
    for_outputs(pool, [&](u32 output, std::size_t i, ThreadPool& own) {
      trees[output] = new_tree(output, growers_[i], own, stop);
    });
  } catch (const Stopped&) {
    rows_->forget_trees();
    return false;
  }
  model_.trees.insert(model_.trees.end(), trees.begin(), trees.end());
  rows_->prepare();
  return true;
}

void RemoteBooster::for_outputs(ThreadPool& pool, const OutputTask& task) {
  const std::size_t n_outputs = model_.n_outputs;
  if (n_outputs == 1) return task(0, 0, pool);
  for (std::size_t first = 0; first < n_outputs; first += growers_.size()) {
    const std::size_t n = std::min(growers_.size(), n_outputs - first);
    rows_->at_once(n, [&](std::size_t i) {
      ThreadPool alone(1);
      task(static_cast<u32>(first + i), i, alone);
    });
  }
}

Units RemoteBooster::begin_tree(u32 output, const RemoteGrower& grower,
                                ThreadPool& pool) {
  Units units = units_for(rows_->largest(output, pool), grower.wide());
  if (charges_sets_) units.noise = rows_->noise(output);
  rows_->set_units(output, units);
  return units;
}

double RemoteBooster::noise_of(u32 output, double n_rows, ThreadPool& pool,
                               StopToken& stop) {
  const Spread spread = rows_->spread(output);
  // A little less, since sums of weights round.
  const Params own = probe_params(params_, spread.hessian / n_rows * (1 - 1e-9));
  RemoteGrower probe(layout_, own, rows_->sizes().n_usable);
  const Units units = begin_tree(output, probe, pool);
  const GrownTree tree = probe.grow(*rows_, output, units, mix64(output), pool, stop);
  const double squares = spread.squares * spread.weight / spread.hessian;
  return boosting::noise_share(tree, layout_, units, {squares, n_rows});
}

double RemoteBooster::noise_share(double n_rows, ThreadPool& pool, StopToken& stop) {
  std::vector<double> shares(model_.n_outputs);
  try {
    for_outputs(pool, [&](u32 output, std::size_t, ThreadPool& own) {
      shares[output] = noise_of(output, n_rows, own, stop);
    });
  } catch (const Stopped&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::accumulate(shares.begin(), shares.end(), 0.0) / model_.n_outputs;
}

std::shared_ptr<const Tree> RemoteBooster::new_tree(u32 output, RemoteGrower& grower,
                                                    ThreadPool& pool, StopToken& stop) {
  const Units units = begin_tree(output, grower, pool);
  const u64 key = mix64(model_.n_iterations() * model_.n_outputs + output);
  const GrownTree tree = grower.grow(*rows_, output, units, key, pool, stop);
  const std::vector<double> values =
      node_values(tree, grower.finder().cost(), output, *rows_, *loss_, params_);
  rows_->add_tree(tree, values, output, pool);
  return std::make_shared<Tree>(write_tree(tree, values, layout_, units));
}

double RemoteBooster::train_loss() {
  const LossSum sum = rows_->training_loss();
  return sum.loss / sum.weight;
}

double RemoteBooster::validation_loss() const {
  const LossSum sum = rows_->validation_loss();
  return sum.loss / sum.weight;
}

}  // namespace dpdtree::boosting
