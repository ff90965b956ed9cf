// A price for every mistake: costs[i·K + j] is what it costs to say class j of a row of
// class i. A leaf says the class of least expected cost.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

namespace dpdtree {

struct CostMatrix {
  static double impurity_sum(std::span<const double> counts,
                             std::span<const double> costs) {
    const std::size_t k = counts.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < k; ++j) least = std::min(least, of(counts, costs, j));
    return least;
  }

  // What it costs to say class j of all the rows.
  static double of(std::span<const double> counts, std::span<const double> costs,
                   std::size_t j) {
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      sum += counts[i] * costs[i * counts.size() + j];
    return sum;
  }

  // The class a leaf says; of equals the first.
  static std::size_t decision(std::span<const double> counts,
                              std::span<const double> costs) {
    std::size_t best = 0;
    for (std::size_t j = 1; j < counts.size(); ++j)
      if (of(counts, costs, j) < of(counts, costs, best)) best = j;
    return best;
  }

  // No tree costs less than the cheapest answer for every row.
  static double least_impurity(std::span<const double> counts,
                               std::span<const double> costs) {
    const std::size_t k = counts.size();
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const auto row = costs.subspan(i * k, k);
      sum += counts[i] * *std::min_element(row.begin(), row.end());
    }
    return sum;
  }
};

}  // namespace dpdtree
