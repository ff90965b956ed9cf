// Gini impurity times weight: w − Σ c²/w.
#pragma once

#include <algorithm>
#include <span>

namespace dpdtree {

struct Gini {
  static double impurity_sum(std::span<const double> counts) {
    double total = 0, squares = 0, largest = 0;
    for (const double c : counts) {
      total += c;
      squares += c * c;
      largest = std::max(largest, c);
    }
    // The quotient rounds: a pure set would be a little above or below zero.
    return largest < total ? std::max(0.0, total - squares / total) : 0;
  }
};

}  // namespace dpdtree
