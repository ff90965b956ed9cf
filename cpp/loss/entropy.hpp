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

  // What two classes cost more if the share of class 1 is said to be `told`.
  static double excess(double sum, double weight, double told) {
    const auto log_ratio = [](double w, double own, double said) {
      return w > 0 ? w * std::log(own / said) : 0;
    };
    const double mean = sum / weight;
    const double e =
        log_ratio(sum, mean, told) + log_ratio(weight - sum, 1 - mean, 1 - told);
    return e > 0 ? e : 0;
  }
};

struct Entropy {
  static double impurity_sum(std::span<const double> counts) {
    return LogLoss::impurity_sum(counts) / std::numbers::ln2;
  }
};

}  // namespace dpdtree
