// Gini impurity times weight: w − Σ c²/w.
#pragma once

#include <span>

namespace dpdtree {

struct Gini {
  static double impurity_sum(std::span<const double> counts) {
    double total = 0, squares = 0;
    for (const double c : counts) {
      total += c;
      squares += c * c;
    }
    return total > 0 ? total - squares / total : 0;
  }
};

}  // namespace dpdtree
