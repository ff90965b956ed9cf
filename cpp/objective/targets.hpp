// What is to be predicted: labels or numbers, with their weights; and the statistics of
// a set of rows. Statistics are plain sums, so those of two sets add up to those of
// their union: per class its weight, or (weight, sum w·y, sum w·y²) for regression.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

struct Targets {
  u32 n_classes = 0;           // 0: regression
  std::vector<u16> label;      // classification
  std::vector<double> y;       // regression: (y - center) / y_scale
  std::vector<double> weight;  // divided by weight_scale; empty: every row counts 1

  // The center is a target near the mean, so that sums of integers stay exact and ties
  // stay ties; the scales are powers of two that keep squares from over- or underflow.
  double center = 0;
  double y_scale = 1;
  double weight_scale = 1;
  double whole_unit = 0;  // all weights, before the division, are multiples of it

  // x·ln(x) of the integers 0 … number of rows; made only where entropies of unweighted
  // classes are needed again and again.
  std::vector<double> xlogx_table;
  void make_xlogx_table();

  bool classification() const { return n_classes > 0; }
  bool weighted() const { return !weight.empty(); }
  std::size_t stats_width() const { return n_classes > 0 ? n_classes : 3; }

  // Sums of integers: those of a complement may be had by subtraction, exactly.
  bool exact_sums() const { return classification() && !weighted(); }

  // Adds one row to statistics.
  void add_row(Row r, double* stats) const {
    const double w = weighted() ? weight[r] : 1.0;
    if (classification()) {
      stats[label[r]] += w;
      return;
    }
    stats[0] += w;
    stats[1] += w * y[r];
    stats[2] += w * y[r] * y[r];
  }

  // Overwrites stats[0 … stats_width).
  void accumulate(std::span<const Row> rows, double* stats) const;

  double total_weight(std::span<const double> stats) const;

  // True if all rows have the same target; then no split can help.
  bool pure(std::span<const Row> rows, std::span<const double> stats) const;
};

// Raises InputError on labels out of range. weights may be null.
Targets make_class_targets(std::span<const i32> labels, u32 n_classes,
                           const double* weights);
Targets make_regression_targets(std::span<const double> y, const double* weights);

}  // namespace dpdtree
