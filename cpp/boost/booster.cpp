#include "boost/booster.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "boost/leaf_values.hpp"
#include "boost/noise_share.hpp"
#include "boost/tree_writer.hpp"
#include "tree/forest_predictor.hpp"

namespace dpdtree::boosting {
namespace {

void check_start(const Forest& start, u32 n_features, u32 n_outputs) {
  if (start.n_features != n_features || start.n_outputs != n_outputs)
    throw InputError("the model to continue has " + std::to_string(start.n_features) +
                     " features and " + std::to_string(start.n_outputs) +
                     " outputs, the data has " + std::to_string(n_features) + " and " +
                     std::to_string(n_outputs));
}

}  // namespace

Booster::Booster(const Sample& train, const Sample* validation, u32 n_classes,
                 Params params, const Forest* start, const Booster* like,
                 ThreadPool& pool, StopToken& stop)
    : params_(std::move(params)),
      loss_(make_loss(params_.loss, {n_classes, params_.quantile})) {
  start_model(train, start);
  const LocalRows* coded = like != nullptr ? like->rows_.get() : nullptr;
  rows_ = std::make_unique<LocalRows>(train, validation, params_, *loss_, coded, pool,
                                      stop);
  const bool complete = like == nullptr || !like->growers_.empty();
  if (complete && !stop.stopped()) make_growers();
  start_scores(train, rows_->training_scores(), pool);
  if (validation != nullptr)
    start_scores(*validation, rows_->validation_scores(), pool);
}

void Booster::start_model(const Sample& train, const Forest* start) {
  const auto n_features = static_cast<u32>(train.x.cols);
  if (start != nullptr) {
    check_start(*start, n_features, loss_->n_outputs());
    model_ = *start;
    return;
  }
  // Where scores are given, the trees add to these alone.
  Values baseline(loss_->n_outputs(), 0.0);
  if (train.init.empty())
    baseline = loss_->baseline({nullptr, train.y.data(), train.weights, train.x.rows});
  model_ = {n_features, loss_->n_outputs(), std::move(baseline), {}};
}

void Booster::start_scores(const Sample& sample, Values& raw, ThreadPool& pool) const {
  const std::size_t n = sample.x.rows, k = model_.n_outputs;
  if (sample.coded != nullptr) {
    if (!model_.trees.empty())
      throw InputError("a model to continue needs the values of X, not codes");
    for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = model_.baseline[i / n];
    return;
  }
  ForestPredictor(model_).predict(sample.x, model_.n_iterations(), {raw.data(), 1, n},
                                  pool);
  if (sample.init.empty()) return;
  if (sample.init.size() != n * k)
    throw InputError("init_score has " + std::to_string(sample.init.size()) +
                     " entries for " + std::to_string(n) + " rows and " +
                     std::to_string(k) + " outputs");
  for (std::size_t i = 0; i < raw.size(); ++i)
    raw[i] += sample.init[(i % n) * k + i / n];
}

double Booster::loss_of(const LossInput& in) const {
  return loss_->sum(in, 0, in.n_rows) / total_weight(in);
}

void Booster::make_growers() {
  const BinnedData& data = rows_->data();
  for (u32 f = 0; f < data.n_features(); ++f) charges_sets_ |= data.bins(f).categorical;
  const u32 n = std::min(std::max(1u, params_.n_threads), model_.n_outputs);
  growers_.reserve(n);
  growers_.emplace_back(rows_->data(), params_, rows_->n_usable());
  while (growers_.size() < n) growers_.push_back(growers_.front());
}

Edges Booster::edges() const {
  const BinnedData& data = rows_->data();
  Edges out;
  for (u32 f = 0; f < data.n_features(); ++f) out.push_back(data.bins(f).edges);
  return out;
}

bool Booster::step(ThreadPool& pool, StopToken& stop) {
  rows_->compute_derivatives(pool);
  return boost(pool, stop);
}

bool Booster::step(std::span<const double> gradient, std::span<const double> hessian,
                   ThreadPool& pool, StopToken& stop) {
  rows_->set_derivatives(gradient, hessian);
  return boost(pool, stop);
}

bool Booster::boost(ThreadPool& pool, StopToken& stop) {
  if (growers_.empty() || stop.poll()) return false;
  rows_->draw(model_.n_iterations());
  // With one output the scores change only when the tree is complete.
  const bool several = model_.n_outputs > 1;
  const Values before = several ? rows_->training_scores() : Values{};
  const Values validation_before = several ? rows_->validation_scores() : Values{};
  std::vector<std::shared_ptr<const Tree>> trees(model_.n_outputs);
  try {
    pool.parallel_for(trees.size(), [&](std::size_t k, unsigned worker) {
      const auto output = static_cast<u32>(k);
      trees[k] = new_tree(output, grower_of(output, worker), pool, stop);
    });
  } catch (const Stopped&) {
    if (several) rows_->training_scores() = before;
    if (several) rows_->validation_scores() = validation_before;
    return false;
  }
  model_.trees.insert(model_.trees.end(), trees.begin(), trees.end());
  return true;
}

// Either every output has a grower or every worker.
TreeGrower& Booster::grower_of(u32 output, unsigned worker) {
  return growers_[growers_.size() == model_.n_outputs ? output : worker];
}

Units Booster::write_rows(u32 output, TreeGrower& grower, ThreadPool& pool) const {
  Units units = units_for(rows_->largest(output, pool), grower.wide());
  if (charges_sets_) units.noise = rows_->noise(output);
  rows_->write(output, units, grower.rows(rows_->n_drawn()), pool);
  return units;
}

std::shared_ptr<const Tree> Booster::new_tree(u32 output, TreeGrower& grower,
                                              ThreadPool& pool, StopToken& stop) {
  const Units units = write_rows(output, grower, pool);
  const u64 number = model_.n_iterations();
  const u64 key = mix64(number * model_.n_outputs + output);
  const GrownTree tree = grower.grow(units, number, key, pool, stop);
  const Values values =
      node_values(tree, grower.finder().cost(), output, *rows_, *loss_, params_);
  rows_->add_tree(tree, values, output, pool);
  return std::make_shared<Tree>(write_tree(tree, values, rows_->data(), units));
}

double Booster::noise_share(double n_rows, ThreadPool& pool, StopToken& stop) {
  if (growers_.empty() || stop.poll()) return std::numeric_limits<double>::quiet_NaN();
  rows_->compute_derivatives(pool);
  rows_->draw(0);
  double sum = 0;
  for (u32 k = 0; k < model_.n_outputs; ++k) {
    const Spread spread = rows_->spread(k);
    // A little less, since sums of weights round.
    const Params own = probe_params(params_, spread.hessian / n_rows * (1 - 1e-9));
    TreeGrower probe(rows_->data(), own, rows_->n_usable());
    const Units units = write_rows(k, probe, pool);
    try {
      const GrownTree tree = probe.grow(units, 0, mix64(k), pool, stop);
      const double squares = spread.squares * spread.weight / spread.hessian;
      sum += boosting::noise_share(tree, rows_->data(), units, {squares, n_rows});
    } catch (const Stopped&) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  return sum / model_.n_outputs;
}

}  // namespace dpdtree::boosting
