#include "boost/booster.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "boost/binned_walk.hpp"
#include "boost/tree_writer.hpp"
#include "tree/forest_predictor.hpp"

namespace dpdtree::boosting {
namespace {

constexpr std::size_t kRowsPerTask = 8192;

std::vector<Row> rows_of_positive_weight(const Sample& s) {
  std::vector<Row> rows;
  rows.reserve(s.x.rows);
  for (std::size_t i = 0; i < s.x.rows; ++i)
    if (s.weights == nullptr || s.weights[i] > 0) rows.push_back(static_cast<Row>(i));
  if (rows.empty()) throw InputError("sample_weight has no positive entry");
  return rows;
}

std::size_t drawn(double share, std::size_t n) {
  const double count = share * static_cast<double>(n) + 0.5;
  return std::clamp<std::size_t>(static_cast<std::size_t>(count), 1, n);
}

void check_start(const Forest& start, u32 n_features, u32 n_outputs) {
  if (start.n_features != n_features || start.n_outputs != n_outputs)
    throw InputError("the model to continue has " + std::to_string(start.n_features) +
                     " features and " + std::to_string(start.n_outputs) +
                     " outputs, the data has " + std::to_string(n_features) + " and " +
                     std::to_string(n_outputs));
}

}  // namespace

LossInput Booster::Scored::input() const {
  return {raw.data(), y.data(), weight.empty() ? nullptr : weight.data(), y.size()};
}

Booster::Scored Booster::copied(const Sample& s) {
  Scored out;
  out.y.assign(s.y.begin(), s.y.end());
  if (s.weights != nullptr) out.weight.assign(s.weights, s.weights + s.x.rows);
  return out;
}

Booster::Booster(const Sample& train, const Sample* validation, u32 n_classes,
                 Params params, const Forest* start, const Edges* edges,
                 ThreadPool& pool, StopToken& stop)
    : params_(std::move(params)),
      loss_(make_loss(params_.loss, {n_classes, params_.quantile})),
      train_(copied(train)),
      usable_(rows_of_positive_weight(train)),
      gradients_(train.x.rows, loss_->n_outputs()) {
  const auto n_features = static_cast<u32>(train.x.cols);
  if (start != nullptr) {
    check_start(*start, n_features, loss_->n_outputs());
    model_ = *start;
  } else {
    model_ = {n_features, loss_->n_outputs(), loss_->baseline(train_.input()), {}};
  }
  start_scores(train_, train.x, pool);
  if (validation != nullptr) {
    validation_ = copied(*validation);
    start_scores(validation_, validation->x, pool);
  }
  if (!params_.newton) ones_.assign(train.x.rows, 1.0f);
  std::vector<FeatureBins> bins = edges != nullptr
                                      ? bins_with_edges(train.x, params_, *edges, pool)
                                      : fit_bins(train.x, train.weights, params_,
                                                 validation != nullptr, pool, stop);
  data_.emplace(train.x, bins, true, pool, stop);
  if (validation != nullptr)
    validation_data_.emplace(validation->x, std::move(bins), false, pool, stop);
  if (!stop.stopped()) make_growers();
}

void Booster::make_growers() {
  const u32 n = std::min(std::max(1u, params_.n_threads), model_.n_outputs);
  growers_.reserve(n);
  growers_.emplace_back(*data_, params_, drawn(params_.subsample, usable_.size()));
  while (growers_.size() < n) growers_.push_back(growers_.front());
}

void Booster::start_scores(Scored& scored, const MatrixView& x,
                           ThreadPool& pool) const {
  scored.raw.resize(x.rows * model_.n_outputs);
  ForestPredictor(model_).predict(x, model_.n_iterations(),
                                  {scored.raw.data(), 1, x.rows}, pool);
}

Edges Booster::edges() const {
  Edges out;
  for (u32 f = 0; f < data_->n_features(); ++f) out.push_back(data_->bins(f).edges);
  return out;
}

bool Booster::step(ThreadPool& pool, StopToken& stop) {
  gradients_.compute(*loss_, train_.input(), pool);
  return boost(pool, stop);
}

bool Booster::step(std::span<const double> gradient, std::span<const double> hessian,
                   ThreadPool& pool, StopToken& stop) {
  gradients_.set(gradient, hessian, model_.n_outputs);
  return boost(pool, stop);
}

bool Booster::boost(ThreadPool& pool, StopToken& stop) {
  if (growers_.empty() || stop.poll()) return false;
  choose_rows();
  // With one output the scores change only when the tree is complete.
  const Values before = model_.n_outputs > 1 ? train_.raw : Values{};
  const Values validation_before = model_.n_outputs > 1 ? validation_.raw : Values{};
  std::vector<std::shared_ptr<const Tree>> trees(model_.n_outputs);
  try {
    pool.parallel_for(trees.size(), [&](std::size_t k, unsigned worker) {
      const auto output = static_cast<u32>(k);
      trees[k] = new_tree(output, grower_of(output, worker), pool, stop);
    });
  } catch (const Stopped&) {
    if (!before.empty()) train_.raw = before;
    if (!validation_before.empty()) validation_.raw = validation_before;
    return false;
  }
  model_.trees.insert(model_.trees.end(), trees.begin(), trees.end());
  return true;
}

// As many rows as the share asks for, in ascending order, each set equally likely.
void Booster::choose_rows() {
  std::size_t wanted = drawn(params_.subsample, usable_.size());
  if (wanted == rows_.size() && wanted == usable_.size()) return;  // all, as before
  rows_.clear();
  rows_.reserve(wanted);
  CounterRng rng(params_.seed, {model_.n_iterations(), 0x726f7773ULL});
  for (std::size_t i = 0; i < usable_.size() && wanted > 0; ++i) {
    const auto rest = static_cast<u32>(usable_.size() - i);
    if (rest > wanted && rng.below(rest) >= wanted) continue;
    rows_.push_back(usable_[i]);
    --wanted;
  }
}

// Either every output has a grower or every worker.
TreeGrower& Booster::grower_of(u32 output, unsigned worker) {
  return growers_[growers_.size() == model_.n_outputs ? output : worker];
}

std::shared_ptr<const Tree> Booster::new_tree(u32 output, TreeGrower& grower,
                                              ThreadPool& pool, StopToken& stop) {
  const RowSet root = grower.rows();
  std::copy(rows_.begin(), rows_.end(), root.rows);
  const std::span<const float> hessian =
      params_.newton ? gradients_.hessian(output) : std::span<const float>(ones_);
  const Slopes slopes{gradients_.gradient(output), hessian, train_.input().weight};
  const Units units = quantize(slopes, rows_, root.gradients, pool);
  const u64 number = model_.n_iterations();
  const u64 key = mix64(number * model_.n_outputs + output);
  const GrownTree tree = grower.grow(units, number, key, pool, stop);
  const Values values = node_values(tree, grower.finder().cost(), output);
  update_scores(tree, values, output, pool);
  if (validation_data_) update_validation(tree, values, output, pool);
  return std::make_shared<Tree>(write_tree(tree, values, *data_, units));
}

Booster::Values Booster::node_values(const GrownTree& tree, const LeafCost& cost,
                                     u32 output) const {
  Values values(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const GrownNode& node = tree[i];
    double value = cost.value(node.context.total, node.context);
    if (node.is_leaf() && loss_->leaf_quantile() >= 0)
      value = residual_quantile(node.rows, output);
    else if (node.is_leaf() && !params_.newton)
      value = newton_step(node.rows, output);
    value = std::clamp(value, node.context.lower, node.context.upper);
    values[i] = params_.learning_rate * value;
  }
  return values;
}

double Booster::residual_quantile(const RowSet& rows, u32 output) const {
  const LossInput in = train_.input();
  std::vector<std::pair<double, double>> residuals(rows.size);
  for (std::size_t i = 0; i < rows.size; ++i) {
    const Row row = rows.rows[i];
    residuals[i] = {in.y[row] - in.raw[output * in.n_rows + row], in.weight_of(row)};
  }
  return weighted_quantile(std::move(residuals), loss_->leaf_quantile());
}

double Booster::newton_step(const RowSet& rows, u32 output) const {
  double g = 0, h = params_.l2_regularization;
  for (std::size_t i = 0; i < rows.size; ++i) {
    const double weight = train_.input().weight_of(rows.rows[i]);
    g += weight * gradients_.gradient(output)[rows.rows[i]];
    h += weight * gradients_.hessian(output)[rows.rows[i]];
  }
  const double alpha = params_.reg_alpha;
  const double pull = g > alpha ? g - alpha : g < -alpha ? g + alpha : 0.0;
  return h > 0 ? -pull / h : 0.0;
}

void Booster::update_scores(const GrownTree& tree, const Values& values, u32 output,
                            ThreadPool& pool) {
  double* raw = train_.raw.data() + output * n_rows();
  const auto add_node = [&](std::size_t i, unsigned) {
    if (!tree[i].is_leaf()) return;
    const RowSet& rows = tree[i].rows;
    for (std::size_t r = 0; r < rows.size; ++r) raw[rows.rows[r]] += values[i];
  };
  if (n_pieces(&pool, rows_.size()) > 1) {
    pool.parallel_for(tree.size(), add_node);
  } else {
    for (std::size_t i = 0; i < tree.size(); ++i) add_node(i, 0);
  }
  if (rows_.size() == n_rows()) return;
  // Rows that were not drawn, or that have no weight.
  const BinnedWalk walk(tree, *data_);
  for_pieces(&pool, n_rows(), n_pieces(&pool, n_rows()),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               auto next = std::lower_bound(rows_.begin(), rows_.end(), begin);
               for (std::size_t row = begin; row < end; ++row) {
                 if (next != rows_.end() && *next == row)
                   ++next;
                 else
                   raw[row] += values[walk.leaf_of(row)];
               }
             });
}

void Booster::update_validation(const GrownTree& tree, const Values& values, u32 output,
                                ThreadPool& pool) {
  const BinnedWalk walk(tree, *validation_data_);
  const std::size_t n = n_validation_rows();
  double* raw = validation_.raw.data() + output * n;
  pool.parallel_for((n + kRowsPerTask - 1) / kRowsPerTask,
                    [&](std::size_t task, unsigned) {
                      const std::size_t end = std::min(n, (task + 1) * kRowsPerTask);
                      for (std::size_t i = task * kRowsPerTask; i < end; ++i)
                        raw[i] += values[walk.leaf_of(i)];
                    });
}

double Booster::mean_loss(const Scored& data) const {
  const LossInput in = data.input();
  double total = 0;
  for (std::size_t i = 0; i < in.n_rows; ++i) total += in.weight_of(i);
  return loss_->sum(in, 0, in.n_rows) / total;
}

}  // namespace dpdtree::boosting
