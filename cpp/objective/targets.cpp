#include "objective/targets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "objective/entropy.hpp"

namespace dpdtree {
namespace {

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
    wy_sum += w * t.y[r];
    wyy_sum += w * t.y[r] * t.y[r];
  }
  stats[0] = w_sum;
  stats[1] = wy_sum;
  stats[2] = wyy_sum;
}

// 1 unless the values are so large or small that their squares could get lost.
double scale_of(std::span<const double> values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::fabs(v));
  const bool moderate = largest > 1e-30 && largest < 1e30;
  if (moderate || largest == 0) return 1;
  return std::ldexp(1.0, std::ilogb(largest));
}

// The place of the last set bit of a positive number.
int last_bit(double w) {
  int exponent = 0;
  const auto digits = static_cast<u64>(std::ldexp(std::frexp(w, &exponent), 53));
  return exponent - 53 + std::countr_zero(digits);
}

// What every weight is a whole multiple of: 1 if they are moderate whole numbers, else
// a power of two, so that scaling all of them changes nothing; 0 if there is none.
double whole_unit_of(std::span<const double> weights) {
  constexpr double kMost = 1ULL << 31;
  double largest = 0;
  int last = std::numeric_limits<int>::max();
  for (const double w : weights) {
    largest = std::max(largest, w);
    if (w > 0) last = std::min(last, last_bit(w));
  }
  if (largest == 0) return 0;
  if (last >= 0 && largest <= kMost) return 1;
  const double unit = std::ldexp(1.0, last);
  return unit > 0 && largest / unit <= kMost ? unit : 0;
}

void keep_weights(Targets& targets, std::size_t n, const double* weights) {
  if (weights == nullptr) return;
  const bool unit =
      std::all_of(weights, weights + n, [](double w) { return w == 1.0 || w == 0.0; });
  if (unit) return;
  targets.weight.assign(weights, weights + n);
  targets.whole_unit = whole_unit_of(targets.weight);
  targets.weight_scale = scale_of(targets.weight);
  for (double& w : targets.weight) w /= targets.weight_scale;
}

// The target nearest to the weighted mean.
double center_of(std::span<const double> y, const double* weights, double scale) {
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double w = weights != nullptr ? weights[i] : 1.0;
    sum += w * (y[i] / scale);
    total += w;
  }
  if (!(total > 0)) return 0;
  const double mean = sum / total * scale;
  double nearest = y[0];
  for (const double v : y)
    if (std::fabs(v - mean) < std::fabs(nearest - mean)) nearest = v;
  return nearest;
}

}  // namespace

void Targets::accumulate(std::span<const Row> rows, double* stats) const {
  std::fill(stats, stats + stats_width(), 0.0);
  if (!classification()) {
    weighted() ? sum_moments<true>(*this, rows, stats)
               : sum_moments<false>(*this, rows, stats);
  } else if (weighted()) {
    sum_classes<true>(*this, rows, stats);
  } else {
    count_classes(*this, rows, stats);
  }
}

void Targets::make_xlogx_table() {
  if (!exact_sums() || !xlogx_table.empty()) return;
  xlogx_table.resize(label.size() + 1);
  for (std::size_t i = 0; i < xlogx_table.size(); ++i)
    xlogx_table[i] = xlogx(static_cast<double>(i));
}

double Targets::total_weight(std::span<const double> stats) const {
  if (!classification()) return stats[0];
  double w = 0;
  for (const double c : stats) w += c;
  return w;
}

bool Targets::pure(std::span<const Row> rows, std::span<const double> stats) const {
  if (classification())
    return std::count_if(stats.begin(), stats.end(), [](double c) { return c > 0; }) <=
           1;
  // Rounding hides a tiny variance, so look at the rows when it could be zero.
  const double spread = stats[2] - stats[1] * stats[1] / stats[0];
  if (spread > 1e-10 * stats[2]) return false;
  return std::all_of(rows.begin(), rows.end(),
                     [&](Row r) { return y[r] == y[rows[0]]; });
}

Targets make_class_targets(std::span<const i32> labels, u32 n_classes,
                           const double* weights) {
  if (n_classes > 0xffff) throw InputError("y has more than 65535 classes");
  Targets targets;
  targets.n_classes = n_classes;
  targets.label.reserve(labels.size());
  for (const i32 k : labels) {
    if (k < 0 || static_cast<u32>(k) >= n_classes)
      throw InputError("a class code of y is out of range");
    targets.label.push_back(static_cast<u16>(k));
  }
  keep_weights(targets, labels.size(), weights);
  return targets;
}

Targets make_regression_targets(std::span<const double> y, const double* weights) {
  Targets targets;
  keep_weights(targets, y.size(), weights);
  const double* kept = targets.weighted() ? targets.weight.data() : weights;
  targets.center = center_of(y, kept, scale_of(y));
  targets.y.assign(y.begin(), y.end());
  for (double& v : targets.y) v -= targets.center;
  targets.y_scale = scale_of(targets.y);
  for (double& v : targets.y) v /= targets.y_scale;
  return targets;
}

}  // namespace dpdtree
