#include "loss/targets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "loss/entropy.hpp"
#include "loss/weights.hpp"

namespace dpdtree {
namespace {

// Larger numbers of rows are rare, and a table of them takes more memory than codes do.
constexpr std::size_t kMostInTable = 1u << 22;

template <bool Weighted>
void sum_classes(const Targets& t, std::span<const Row> rows, double* stats) {
  for (const Row r : rows) stats[t.label[r]] += Weighted ? t.weight[r] : 1.0;
}

// Few classes: integer counts in registers or L1, no chain of floating-point adds.
void count_classes(const Targets& t, std::span<const Row> rows, double* stats) {
  constexpr u32 kSmall = 16;
  if (t.n_classes > kSmall) return sum_classes<false>(t, rows, stats);
  u32 even[kSmall] = {};
  u32 odd[kSmall] = {};
  std::size_t i = 0;
  for (; i + 1 < rows.size(); i += 2) {
    ++even[t.label[rows[i]]];
    ++odd[t.label[rows[i + 1]]];
  }
  if (i < rows.size()) ++even[t.label[rows[i]]];
  for (u32 k = 0; k < t.n_classes; ++k) stats[k] = even[k] + odd[k];
}

template <bool Weighted>
void sum_moments(const Targets& t, std::span<const Row> rows, double* stats) {
  double w_sum = 0, wy_sum = 0, wyy_sum = 0;
  for (const Row r : rows) {
    const double w = Weighted ? t.weight[r] : 1.0;
    w_sum += w;
    wy_sum += Weighted ? t.moment(w, t.y[r]) : t.y[r];
    wyy_sum += t.square_grid(w * t.y[r] * t.y[r]);
  }
  stats[0] = w_sum;
  stats[1] = wy_sum;
  stats[2] = wyy_sum;
}

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::fabs(v));
  return largest;
}

// 1 unless the values are so large or small that their squares could get lost.
double scale_of(std::span<const double> values) {
  const double largest = largest_of(values);
  const bool moderate = largest > 1e-30 && largest < 1e30;
  if (moderate || largest == 0) return 1;
  return std::ldexp(1.0, std::ilogb(largest));
}

void round_to_grid(std::vector<double>& values) {
  const Grid grid(largest_of(values), values.size());
  for (double& v : values) v = grid(v);
}

// What weighs something goes on weighing something.
void round_weights(std::vector<double>& weights) {
  const Grid grid(largest_of(weights), weights.size());
  for (double& w : weights) w = w > 0 ? std::max(grid(w), grid.unit()) : 0;
}

// Weights too far apart would lose digits on a grid, and so would the leaves of the
// lightest rows.
bool fit_a_grid(std::span<const double> weights) {
  constexpr double kFarApart = 0x1p-14;
  const double least = kFarApart * largest_of(weights);
  return std::all_of(weights.begin(), weights.end(),
                     [&](double w) { return w == 0 || w >= least; });
}

void keep_weights(Targets& targets, std::size_t n, const double* weights,
                  bool& order_free) {
  if (weights == nullptr) return;
  NormalizedWeights form = normalize_weights({weights, n});
  targets.weight = std::move(form.weight);
  targets.weight_scale = form.scale;
  targets.whole_weights = form.whole;
  targets.weights_count = form.counts;
  targets.exact_weights = form.exact;
  order_free &= fit_a_grid(targets.weight);
  if (order_free && !form.whole) round_weights(targets.weight);
  if (targets.weighted()) targets.least_weight = smallest_weight(targets.weight);
}

// The labels of rows [begin, end); false if one of them is out of range.
template <class Code>
bool keep_labels(std::span<const Code> labels, std::span<const u32> n_classes,
                 std::size_t begin, std::size_t end, Targets& targets) {
  const std::size_t outputs = n_classes.size();
  bool inside = true;
  for (std::size_t j = 0; j < outputs; ++j) {
    const u32 first = targets.first_class[j], n = n_classes[j];
    for (std::size_t i = begin * outputs + j; i < end * outputs; i += outputs) {
      const auto label = static_cast<u32>(labels[i]);
      inside &= label < n;  // negative ones are not, either
      targets.label[i] = static_cast<u16>(first + label);
    }
  }
  return inside;
}

// Rows without weight get the targets of one that has some: whatever theirs are, they
// must not stretch the scale or the grids of the others.
void hide_weightless(std::vector<double>& y, std::size_t n_outputs,
                     const std::vector<double>& weight) {
  const auto heavy =
      std::find_if(weight.begin(), weight.end(), [](double w) { return w > 0; });
  if (heavy == weight.end()) return;
  const auto from = y.begin() + (heavy - weight.begin()) * static_cast<i64>(n_outputs);
  for (std::size_t r = 0; r < weight.size(); ++r)
    if (weight[r] == 0) std::copy_n(from, n_outputs, y.data() + r * n_outputs);
}

// The target nearest to the mean; targets are `step` apart.
double center_of(std::span<const double> y, std::size_t step, const Targets& targets,
                 double scale) {
  ExactSum sum, weight;
  for (std::size_t i = 0; i < y.size(); i += step) {
    const double w = targets.weight_of(static_cast<Row>(i / step));
    sum.add(w * (y[i] / scale));
    weight.add(w);
  }
  const double total = weight.value();
  if (!(total > 0)) return 0;
  const double mean = sum.value() / total * scale;
  double nearest = y[0];
  for (std::size_t i = 0; i < y.size(); i += step) {
    const double d = std::fabs(y[i] - mean), least = std::fabs(nearest - mean);
    if (d < least || (d == least && y[i] < nearest)) nearest = y[i];
  }
  return nearest;
}

// Σ y·ln y of every row.
std::vector<double> log_terms(const std::vector<double>& y, std::size_t n_outputs) {
  std::vector<double> terms(y.size() / n_outputs, 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) terms[i / n_outputs] += xlogx(y[i]);
  return terms;
}

void set_grids(Targets& targets) {
  targets.order_free = true;
  const std::size_t n = targets.y.size() / targets.n_outputs;
  const double y = largest_of(targets.y);
  const double w = targets.weighted() ? largest_of(targets.weight) : 1;
  targets.moment_grid = Grid(w * y, n);
  targets.square_grid = Grid(w * y * y * targets.n_outputs, n);
  targets.exact_moments = true;
  targets.log_grid = Grid(w * largest_of(targets.y_log_y), n);
}

}  // namespace

void Targets::accumulate(std::span<const Row> rows, double* stats) const {
  std::fill(stats, stats + stats_width(), 0.0);
  if (general) {
    for (const Row r : rows) add_general_row(r, stats);
  } else if (!classification()) {
    weighted() ? sum_moments<true>(*this, rows, stats)
               : sum_moments<false>(*this, rows, stats);
  } else if (weighted()) {
    sum_classes<true>(*this, rows, stats);
  } else {
    count_classes(*this, rows, stats);
  }
}

void Targets::add_general_row(Row r, double* stats) const {
  const double w = weight_of(r);
  const std::size_t first = std::size_t{r} * n_outputs;
  if (classification()) {
    for (u32 j = 0; j < n_outputs; ++j) stats[label[first + j]] += w;
    return;
  }
  double squares = 0;
  stats[0] += w;
  for (u32 j = 0; j < n_outputs; ++j) {
    const double v = y[first + j];
    stats[1 + j] += moment(w, v);
    squares += v * v;
  }
  stats[1 + n_outputs] += square_grid(w * squares);
  if (log_sums()) stats[2 + n_outputs] += log_grid(w * y_log_y[r]);
}

void Targets::make_xlogx_table() {
  if (general || !exact_sums() || !xlogx_table.empty()) return;
  xlogx_table.resize(std::min(label.size() + 1, kMostInTable));
  for (std::size_t i = 0; i < xlogx_table.size(); ++i)
    xlogx_table[i] = xlogx(static_cast<double>(i));
}

double Targets::total_weight(std::span<const double> stats) const {
  if (!classification()) return stats[0];
  double w = 0;
  if (n_outputs > 1) stats = stats.first(first_class[1]);  // every output has it all
  for (const double c : stats) w += c;
  return w;
}

bool Targets::may_be_leaf(std::span<const double> stats,
                          std::span<const double> node) const {
  if (!log_sums()) return true;
  for (u32 j = 1; j <= n_outputs; ++j)
    if (!(stats[j] > kDifferenceRounding * node[j])) return false;
  return true;
}

bool Targets::seems_pure(std::span<const double> stats) const {
  const double squares = stats[n_outputs + 1];
  double spread = squares;
  for (u32 j = 1; j <= n_outputs; ++j) spread -= stats[j] * stats[j] / stats[0];
  return !(spread > kCancellation * squares);
}

bool Targets::pure(std::span<const Row> rows, std::span<const double> stats) const {
  if (classification())
    return std::count_if(stats.begin(), stats.end(), [](double c) { return c > 0; }) <=
           n_outputs;
  // Rounding hides a tiny variance, so look at the rows when it could be zero.
  if (rows.empty() || !seems_pure(stats)) return false;
  const auto of_row = [&](Row r) { return y.begin() + std::ptrdiff_t{r} * n_outputs; };
  const auto first = of_row(rows[0]);
  return std::all_of(rows.begin(), rows.end(), [&](Row r) {
    return std::equal(first, first + n_outputs, of_row(r));
  });
}

void Targets::round_for_exact_sums(std::span<const Row> rows) {
  if (!whole_weights || order_free || classification() || log_sums()) return;
  std::vector<double> sum(n_outputs, 0.0);
  for (const Row r : rows)
    for (u32 j = 0; j < n_outputs; ++j)
      sum[j] += weight_of(r) * std::fabs(y[std::size_t{r} * n_outputs + j]);
  const double largest = *std::max_element(sum.begin(), sum.end()) / repeat_unit;
  if (!(largest > 0) || !std::isfinite(largest)) return;
  constexpr int kBits = 50;  // and three for what repeats
  const double step = std::ldexp(1.0, std::ilogb(largest) + 1 - kBits);
  y_rest.resize(y.size());
  bool changed = false;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double rounded = std::nearbyint(y[i] / step) * step;
    y_rest[i] = y[i] - rounded;
    y[i] = rounded;
    changed |= y_rest[i] != 0;
  }
  if (!changed) y_rest.clear();
  exact_moments = true;
}

Targets make_class_targets(const ClassCodes& labels, std::span<const u32> n_classes,
                           const double* weights, ThreadPool* pool, bool order_free) {
  Targets targets;
  const std::size_t outputs = n_classes.size();
  targets.n_outputs = static_cast<u32>(outputs);
  targets.general = outputs > 1;
  u64 total = 0;
  for (const u32 k : n_classes) {
    targets.first_class.push_back(static_cast<u32>(total));
    total += k;
    if (total > 0xffff) throw InputError("y has more than 65535 classes");
  }
  targets.n_classes = static_cast<u32>(total);
  targets.first_class.push_back(targets.n_classes);
  const std::size_t size = std::visit([](auto codes) { return codes.size(); }, labels);
  targets.label.resize(size);
  const std::size_t n = size / outputs;
  std::vector<u8> inside(n_pieces(pool, n));
  for_pieces(pool, n, inside.size(),
             [&](std::size_t begin, std::size_t end, std::size_t p) {
               inside[p] = std::visit(
                   [&](auto codes) {
                     return keep_labels(codes, n_classes, begin, end, targets);
                   },
                   labels);
             });
  for (const u8 good : inside)
    if (good == 0) throw InputError("a class code of y is out of range");
  keep_weights(targets, n, weights, order_free);
  targets.order_free = order_free;
  return targets;
}

Targets make_regression_targets(std::span<const double> y, const double* weights,
                                RegressionForm form) {
  Targets targets;
  const std::size_t outputs = form.n_outputs;
  targets.n_outputs = form.n_outputs;
  targets.general = outputs > 1 || form.log_sums;
  keep_weights(targets, y.size() / outputs, weights, form.order_free);
  targets.center.assign(outputs, 0.0);
  targets.y.assign(y.begin(), y.end());
  hide_weightless(targets.y, outputs, targets.weight);
  if (form.centered) {
    const std::span<const double> given = targets.y;
    for (std::size_t j = 0; j < outputs; ++j)
      targets.center[j] =
          center_of(given.subspan(j), outputs, targets, scale_of(given));
    for (std::size_t i = 0; i < targets.y.size(); ++i)
      targets.y[i] -= targets.center[i % outputs];
  }
  targets.y_scale = scale_of(targets.y);
  for (double& v : targets.y) v /= targets.y_scale;
  if (form.order_free) round_to_grid(targets.y);
  if (form.log_sums) targets.y_log_y = log_terms(targets.y, outputs);
  if (form.order_free) set_grids(targets);
  return targets;
}

}  // namespace dpdtree
