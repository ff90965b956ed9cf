#include "boost/local_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "base/rng.hpp"
#include "boost/binned_walk.hpp"

namespace dpdtree::boosting {
namespace {

constexpr std::size_t kRowsPerTask = 8192;

std::vector<Row> rows_of_positive_weight(const Sample& s) {
  std::vector<Row> rows;
  rows.reserve(s.x.rows);
  for (std::size_t i = 0; i < s.x.rows; ++i)
    if (s.weights == nullptr || s.weights[i] > 0) rows.push_back(static_cast<Row>(i));
  if (rows.empty() && !s.part) throw InputError("sample_weight has no positive entry");
  return rows;
}

}  // namespace

LossInput LocalRows::Scored::input() const {
  return {raw.data(), y.data(), weight.empty() ? nullptr : weight.data(), y.size()};
}

LocalRows::Scored LocalRows::copied(const Sample& s, u32 n_outputs) {
  Scored out;
  out.y.assign(s.y.begin(), s.y.end());
  if (s.weights != nullptr) out.weight.assign(s.weights, s.weights + s.x.rows);
  out.raw.resize(s.x.rows * n_outputs);
  out.total_weight = boosting::total_weight(out.input());
  return out;
}

LocalRows::LocalRows(const Sample& train, const Sample* validation,
                     const Params& params, const Loss& loss, const LocalRows* like,
                     ThreadPool& pool, StopToken& stop)
    : params_(&params),
      loss_(&loss),
      train_(copied(train, loss.n_outputs())),
      usable_(rows_of_positive_weight(train)),
      gradients_(train.x.rows, loss.n_outputs()),
      first_row_(train.first_row) {
  if (!params.newton) ones_.assign(train.x.rows, 1.0f);
  if (validation != nullptr) validation_ = copied(*validation, loss.n_outputs());
  if (like == nullptr) {
    encode(train, validation, pool, stop);
  } else {
    data_ = like->data_;
    validation_data_ = like->validation_data_;
  }
}

void LocalRows::encode(const Sample& train, const Sample* validation, ThreadPool& pool,
                       StopToken& stop) {
  const auto taken = [](BinnedData& coded) {
    return std::make_shared<const BinnedData>(std::move(coded));
  };
  if (train.coded != nullptr) {
    data_ = taken(*train.coded);
    if (validation != nullptr) validation_data_ = taken(*validation->coded);
    return;
  }
  std::vector<FeatureBins> bins =
      fit_bins(train.x, train.weights, *params_, validation != nullptr, pool, stop);
  data_ = std::make_shared<const BinnedData>(train.x, bins, true, pool, stop);
  if (validation == nullptr) return;
  validation_data_ = std::make_shared<const BinnedData>(validation->x, std::move(bins),
                                                        false, pool, stop);
}

void LocalRows::compute_derivatives(ThreadPool& pool) {
  if (!derivatives_known_) gradients_.compute(*loss_, train_.input(), pool);
  derivatives_known_ = true;
}

void LocalRows::set_derivatives(std::span<const double> gradient,
                                std::span<const double> hessian) {
  derivatives_known_ = false;
  gradients_.set(gradient, hessian, loss_->n_outputs());
}

NumberHash LocalRows::hash_of(u64 iteration) const {
  return {params_->seed, {iteration, 0x726f7773ULL}};
}

void LocalRows::draw_part(u64 iteration, std::optional<u64> lone) {
  const bool all = params_->subsample >= 1;
  const auto limit = all ? 0 : static_cast<u64>(std::ldexp(params_->subsample, 64));
  const NumberHash hash = hash_of(iteration);
  drawn_.clear();
  for (const Row row : usable_) {
    const u64 number = first_row_ + row;
    if (lone ? number == *lone : all || hash(number) < limit) drawn_.push_back(row);
  }
}

LocalRows::LeastHash LocalRows::least_hash(u64 iteration) const {
  const NumberHash hash = hash_of(iteration);
  LeastHash least;
  for (const Row row : usable_) {
    const u64 number = first_row_ + row;
    if (hash(number) <= least.hash) least = {hash(number), number};
  }
  return least;
}

void LocalRows::draw(u64 iteration) {
  if (params_->subsample >= 1) {
    if (drawn_.empty()) drawn_ = usable_;
    return;
  }
  const NumberHash hash = hash_of(iteration);
  const auto limit = static_cast<u64>(std::ldexp(params_->subsample, 64));
  drawn_.clear();
  for (const Row row : usable_)
    if (hash(row) < limit) drawn_.push_back(row);
  if (!drawn_.empty()) return;
  drawn_.push_back(*std::min_element(usable_.begin(), usable_.end(),
                                     [&](Row a, Row b) { return hash(a) < hash(b); }));
}

Slopes LocalRows::slopes(u32 output) const {
  const std::span<const float> hessian =
      params_->newton ? gradients_.hessian(output) : std::span<const float>(ones_);
  return {gradients_.gradient(output), hessian, train_.input().weight};
}

Slopes LocalRows::full_slopes(u32 output) const {
  return {gradients_.gradient(output), gradients_.hessian(output),
          train_.input().weight};
}

Largest LocalRows::largest(u32 output, ThreadPool& pool) const {
  return largest_of(slopes(output), drawn_, pool);
}

void LocalRows::add_spread(u32 output, ExactSum& squares, ExactSum& hessian,
                           ExactSum& weights) const {
  const Slopes s = slopes(output);
  for (const Row row : drawn_) {
    const double weight = s.weights != nullptr ? s.weights[row] : 1;
    const double g = s.gradient[row];
    squares.add(weight * (g * g));
    hessian.add(weight * s.hessian[row]);
    weights.add(weight);
  }
}

Spread LocalRows::spread(u32 output) const {
  ExactSum squares, hessian, weights;
  add_spread(output, squares, hessian, weights);
  return {squares.value(), hessian.value(), weights.value()};
}

double LocalRows::noise(u32 output) const {
  const Spread sum = spread(output);
  return sum.hessian > 0 ? sum.squares / sum.hessian : 0;
}

void LocalRows::write(u32 output, const Units& units, const RowSet& out,
                      ThreadPool& pool) const {
  std::copy(drawn_.begin(), drawn_.end(), out.rows);
  quantize(slopes(output), drawn_, units, out.gradients, pool);
}

std::vector<double> LocalRows::leaf_quantiles(const GrownTree& tree, u32 output,
                                              double quantile) const {
  // So that sums of weights depend on no order.
  double top = 0;
  const double* weight = train_.input().weight;
  for (const Row row : drawn_)
    if (weight != nullptr) top = std::max(top, weight[row]);
  const Grid grid(top, drawn_.size());
  std::vector<double> values(tree.size(), 0.0);
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree[i].is_leaf())
      values[i] = residual_quantile(tree[i].rows, output, quantile, grid);
  return values;
}

double LocalRows::residual_quantile(const RowSet& rows, u32 output, double quantile,
                                    const Grid& grid) const {
  const LossInput in = train_.input();
  std::vector<std::pair<double, double>> residuals(rows.size);
  for (std::size_t i = 0; i < rows.size; ++i) {
    const Row row = rows.rows[i];
    // One zero, not two of different signs.
    const double residual = in.y[row] - in.raw[output * in.n_rows + row] + 0.0;
    residuals[i] = {residual, grid(in.weight_of(row))};
  }
  return weighted_quantile(std::move(residuals), quantile);
}

std::vector<DerivativeSum> LocalRows::leaf_sums(const GrownTree& tree, u32 output,
                                                double l2) const {
  const LossInput in = train_.input();
  std::vector<DerivativeSum> sums(tree.size(), {0, l2});
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (!tree[i].is_leaf()) continue;
    const RowSet& rows = tree[i].rows;
    ExactSum gradient, hessian;
    for (std::size_t r = 0; r < rows.size; ++r) {
      const double weight = in.weight_of(rows.rows[r]);
      gradient.add(weight * gradients_.gradient(output)[rows.rows[r]]);
      hessian.add(weight * gradients_.hessian(output)[rows.rows[r]]);
    }
    sums[i] = {gradient.value(), hessian.value() + l2};
  }
  return sums;
}

void LocalRows::add_tree(const GrownTree& tree, std::span<const double> values,
                         u32 output, ThreadPool& pool) {
  add_to_training(tree, values, output, pool);
  if (validation_data_) add_to_validation(tree, values, output, pool);
}

void LocalRows::add_to_training(const GrownTree& tree, std::span<const double> values,
                                u32 output, ThreadPool& pool) {
  double* raw = train_.raw.data() + output * n_rows();
  derivatives_known_ = false;
  const auto add_node = [&](std::size_t i, unsigned) {
    if (!tree[i].is_leaf()) return;
    const RowSet& rows = tree[i].rows;
    for (std::size_t r = 0; r < rows.size; ++r) raw[rows.rows[r]] += values[i];
  };
  if (n_pieces(&pool, drawn_.size()) > 1) {
    pool.parallel_for(tree.size(), add_node);
  } else {
    for (std::size_t i = 0; i < tree.size(); ++i) add_node(i, 0);
  }
  if (drawn_.size() == n_rows()) return;
  // Rows that were not drawn, or that have no weight.
  const BinnedWalk walk(tree, *data_);
  for_pieces(&pool, n_rows(), n_pieces(&pool, n_rows()),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               auto next = std::lower_bound(drawn_.begin(), drawn_.end(), begin);
               for (std::size_t row = begin; row < end; ++row) {
                 if (next != drawn_.end() && *next == row)
                   ++next;
                 else
                   raw[row] += values[walk.leaf_of(row)];
               }
             });
}

void LocalRows::add_by_codes(const GrownTree& tree, std::span<const double> values,
                             u32 output, ThreadPool& pool) {
  derivatives_known_ = false;
  const BinnedWalk walk(tree, *data_);
  double* raw = train_.raw.data() + output * n_rows();
  for_pieces(&pool, n_rows(), n_pieces(&pool, n_rows()),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               for (std::size_t row = begin; row < end; ++row)
                 raw[row] += values[walk.leaf_of(row)];
             });
  if (validation_data_) add_to_validation(tree, values, output, pool);
}

void LocalRows::add_to_validation(const GrownTree& tree, std::span<const double> values,
                                  u32 output, ThreadPool& pool) {
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

LossSum LocalRows::training_loss() {
  const double sum = gradients_.compute_with_loss(*loss_, train_.input());
  derivatives_known_ = true;
  return {sum, train_.total_weight};
}

LossSum LocalRows::validation_loss() const {
  const LossInput in = validation_.input();
  return {loss_->sum(in, 0, in.n_rows), validation_.total_weight};
}

}  // namespace dpdtree::boosting
