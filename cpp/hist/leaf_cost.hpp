// The second-order objective of one leaf: its best value and what it costs.
#pragma once

#include <algorithm>
#include <cmath>

#include "hist/node.hpp"
#include "simd/gradient_kernels.hpp"

namespace dpdtree::boosting {

// G·v + (H + l2)/2·v² + alpha·|v|, minimised over v within the node's limits.
class LeafCost {
 public:
  LeafCost(double l2, double alpha, const Units& units)
      : l2_(l2), alpha_(alpha), units_(units) {}

  double value(const GradientSum& b) const {
    const double h = units_.hessian_of(b) + l2_;
    return h > 0 ? -shrunk(units_.gradient_of(b)) / h : 0.0;
  }
  double value(const GradientSum& b, const NodeContext& node) const {
    return node.bounds.clamp(value(b));
  }

  // Twice what the leaf saves against a value of 0; larger is better.
  double score(const GradientSum& b) const {
    const double h = units_.hessian_of(b) + l2_;
    const double g = shrunk(units_.gradient_of(b));
    return h > 0 ? g * g / h : 0.0;
  }
  double score(const GradientSum& b, double value) const {
    const double h = units_.hessian_of(b) + l2_;
    const double linear = units_.gradient_of(b) * value + alpha_ * std::fabs(value);
    return -2 * linear - h * value * value;
  }
  double pair(const GradientSum& left, const GradientSum& right) const {
    return pair_score(shrunk(units_.gradient_of(left)), units_.hessian_of(left) + l2_,
                      shrunk(units_.gradient_of(right)),
                      units_.hessian_of(right) + l2_);
  }

 private:
  double shrunk(double g) const {
    if (alpha_ == 0) return g;
    return g > alpha_ ? g - alpha_ : g < -alpha_ ? g + alpha_ : 0.0;
  }

  double l2_;
  double alpha_;
  Units units_;
};

}  // namespace dpdtree::boosting
