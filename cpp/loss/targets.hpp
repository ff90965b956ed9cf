// What is to be predicted: labels or numbers, with their weights; and the statistics of
// a set of rows. Statistics are plain sums, so those of two sets add up to those of
// their union: per class its weight, output after output; or for regression (weight,
// Σw·y of each output, Σw·y² of all and, where asked for, Σw·y·ln y of all).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/exact_sum.hpp"
#include "base/thread_pool.hpp"
#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"

namespace dpdtree {

struct Targets {
  u32 n_classes = 0;  // of all outputs together; 0: regression
  u32 n_outputs = 1;
  std::vector<u32> first_class;  // of each output among all classes, and their end
  // One per output, row after row.
  UninitializedVector<u16> label;  // classification: indices into the statistics
  std::vector<double> y;           // regression: (y - center) / y_scale
  std::vector<double> y_rest;      // what y was rounded by, for predictions; or empty
  std::vector<double> y_log_y;     // Σ y·ln y of each row, if statistics have it
  std::vector<double> costs;       // of mistakes, n_classes²; empty: there are none
  double quantile = 0.5;
  // More than one output, or Σw·y·ln y: what is made for the simple case won't do.
  bool general = false;
  std::vector<double> weight;  // see weights.hpp; empty: every row counts 1

  // The center is a target near the mean, so that sums of integers stay exact and ties
  // stay ties; the scales are powers of two that keep squares from over- or underflow.
  std::vector<double> center{0};  // of each output
  double y_scale = 1;
  double weight_scale = 1;    // of the weights given, per unit of ours
  bool whole_weights = true;  // ours are whole numbers
  bool weights_count = true;  // those given were
  bool exact_weights = true;  // no sum of ours takes rounding
  double least_weight = 1;    // of ours, but for zeros
  // Where rows repeat, next to each other, so do all a whole number of times: samples
  // count this weight as one row.
  double repeat_unit = 1;
  double mean_repeats = 1;  // how many such rows a run of equal ones holds

  // Sums of w and of w·y over any rows take no rounding.
  bool exact_moments = false;

  // Where values are binned, the terms of all sums are rounded to multiples of a power
  // of two, so that no sum depends on the order of its rows; y and weights are such
  // multiples themselves. Elsewhere these change nothing.
  bool order_free = false;
  Grid moment_grid;  // of w·y
  Grid square_grid;  // of w·y², of all outputs together
  Grid log_grid;     // of w·y·ln y

  // x·ln(x) of the integers 0 … number of rows (or 2^22); made only where entropies of
  // unweighted classes are needed again and again.
  std::vector<double> xlogx_table;
  void make_xlogx_table();

  bool classification() const { return n_classes > 0; }
  bool weighted() const { return !weight.empty(); }
  bool log_sums() const { return !y_log_y.empty(); }
  std::size_t stats_width() const {
    return n_classes > 0 ? n_classes : std::size_t{n_outputs} + (log_sums() ? 3 : 2);
  }
  double weight_of(Row r) const { return weighted() ? weight[r] : 1.0; }
  double moment(double w, double v) const { return moment_grid(w * v); }
  // Which statistics, divided by the weight, tell what a set of rows is like: class
  // shares, or means.
  std::size_t first_coordinate() const { return classification() ? 0 : 1; }
  std::size_t n_coordinates() const { return classification() ? n_classes : n_outputs; }

  // Sums of integers: those of a complement may be had by subtraction, exactly.
  bool exact_sums() const { return classification() && !weighted(); }

  // Adds one row to statistics.
  void add_row(Row r, double* stats) const {
    if (general) return add_general_row(r, stats);
    const double w = weight_of(r);
    if (classification()) {
      stats[label[r]] += w;
      return;
    }
    stats[0] += w;
    stats[1] += moment(w, y[r]);
    stats[2] += square_grid(w * y[r] * y[r]);
  }

  void add_general_row(Row r, double* stats) const;

  // Overwrites stats[0 … stats_width).
  void accumulate(std::span<const Row> rows, double* stats) const;

  double total_weight(std::span<const double> stats) const;

  // Rounds numbers to multiples of a power of two so large that no sum over these rows,
  // as often as whole weights say, needs more than 53 bits. Then sums of the same rows
  // are equal in any order, and a weight adds exactly what repeated rows do.
  void round_for_exact_sums(std::span<const Row> rows);

  // False if statistics alone tell that numbers differ.
  bool seems_pure(std::span<const double> stats) const;

  // True if all rows have the same target; then no split can help. Of numbers that are
  // elsewhere (no rows): false.
  bool pure(std::span<const Row> rows, std::span<const double> stats) const;

  // True if a leaf with these statistics, of a node with the others, may predict its
  // mean: where there are logarithms, all means have to be positive.
  bool may_be_leaf(std::span<const double> stats, std::span<const double> node) const;
};

// The class of a row, of several outputs a hash of them; of numbers 0.
u64 class_group(const Targets& targets, Row row);

// The targets of rows [begin, end) alone, in the units of all; nothing but units, if
// there are none. To bytes and back.
Targets targets_of_rows(const Targets& all, std::size_t begin, std::size_t end);
std::string targets_to_bytes(const Targets& targets);
Targets targets_from_bytes(std::string_view bytes);

// Codes of classes, as wide as they come.
using ClassCodes = std::variant<std::span<const u8>, std::span<const i32>>;

// Raises InputError on labels out of range. weights and pool may be null. n_classes has
// one entry per output, and labels are given row after row.
// `order_free`: sums shall not depend on the order of the rows.
Targets make_class_targets(const ClassCodes& labels, std::span<const u32> n_classes,
                           const double* weights, ThreadPool* pool = nullptr,
                           bool order_free = false);

struct RegressionForm {
  u32 n_outputs = 1;
  bool centered = true;  // false: numbers are kept as they are
  bool log_sums = false;
  bool order_free = false;  // as above
};
Targets make_regression_targets(std::span<const double> y, const double* weights,
                                RegressionForm form = {});

}  // namespace dpdtree
