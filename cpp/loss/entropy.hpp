// Entropy times weight, in nats (log-loss of a leaf) or bits (scikit-learn's entropy).
#pragma once

#include <cmath>
#include <numbers>
#include <span>

namespace dpdtree {

inline double xlogx(double x) { return x > 0 ? x * std::log(x) : 0; }

struct LogLoss {
  static double impurity_sum(std::span<const double> counts) {
    double total = 0, sum = 0;
    for (const double c : counts) {
      total += c;
      sum += xlogx(c);
    }
    const double m = xlogx(total) - sum;
    return m > 0 ? m : 0;
  }
};

struct Entropy {
  static double impurity_sum(std::span<const double> counts) {
    return LogLoss::impurity_sum(counts) / std::numbers::ln2;
  }
};

}  // namespace dpdtree
