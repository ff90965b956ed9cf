// 0-1 loss: the weight outside the majority class.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

struct ZeroOne {
  static double impurity_sum(std::span<const double> counts) {
    double total = 0, largest = 0;
    for (const double c : counts) {
      total += c;
      largest = std::max(largest, c);
    }
    return total - largest;
  }

  // No tree with that many leaves errs less: each leaf names one class at best.
  static double least_impurity(std::span<const double> counts, u64 n_leaves) {
    if (n_leaves >= counts.size()) return 0;
    if (n_leaves == 1) return impurity_sum(counts);
    std::vector<double> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end());
    double rest = 0;
    for (std::size_t k = 0; k + n_leaves < sorted.size(); ++k) rest += sorted[k];
    return rest;
  }
};

}  // namespace dpdtree
