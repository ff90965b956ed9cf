// A random learning problem, tiny enough for the oracle.
#pragma once

#include <string>
#include <vector>

#include "api/fit_tree.hpp"

namespace dpdtree::fuzz {

struct Problem {
  std::size_t n = 0;
  std::size_t p = 0;
  std::vector<double> x;      // row after row
  std::vector<i32> label;     // of classification
  std::vector<double> y;      // of regression
  std::vector<double> w;      // empty: every row counts 1
  u32 n_classes = 0;          // 0: regression
  double least_fraction = 0;  // min_weight_fraction_leaf
  TreeParams params;          // all but the strategy

  double value(std::size_t row, std::size_t feature) const {
    return x[row * p + feature];
  }
  double weight(std::size_t row) const { return w.empty() ? 1 : w[row]; }
  double total_weight() const;
  bool regression() const { return n_classes == 0; }
  TrainingData data() const;
};

// A pure function of the two numbers.
Problem random_problem(u64 seed, u64 number);

// Python that fits the estimator with these parameters to the problem.
std::string python_code(const Problem& problem, const TreeParams& params);

}  // namespace dpdtree::fuzz
