#include "loss/boosting_loss.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace dpdtree::boosting {
namespace {

// The caller brings the derivatives.
class Custom : public Loss {
 public:
  explicit Custom(u32 n_outputs) : n_outputs_(n_outputs) {}
  u32 n_outputs() const override { return n_outputs_; }
  std::vector<double> baseline(const LossInput&) const override {
    return std::vector<double>(n_outputs_, 0.0);
  }
  void gradients(const LossInput&, std::size_t, std::size_t, float*,
                 float*) const override {
    throw InputError("loss='custom' needs a gradient and a hessian at every step");
  }
  double sum(const LossInput&, std::size_t, std::size_t) const override {
    throw InputError("the value of a custom loss is not known");
  }
  void add_losses(const LossInput& in, const Grid&, FixedSum&) const override {
    sum(in, 0, 0);
  }

 private:
  u32 n_outputs_;
};

}  // namespace

std::unique_ptr<Loss> custom_loss(u32 n_outputs) {
  return std::make_unique<Custom>(std::max(1u, n_outputs));
}

double weighted_quantile(std::vector<std::pair<double, double>> value_and_weight,
                         double quantile) {
  std::sort(value_and_weight.begin(), value_and_weight.end());
  double total = 0;
  for (const auto& [value, weight] : value_and_weight) total += weight;
  double seen = 0;
  for (const auto& [value, weight] : value_and_weight) {
    seen += weight;
    if (seen >= quantile * total && weight > 0) return value;
  }
  return value_and_weight.empty() ? 0.0 : value_and_weight.back().first;
}

double weighted_mean(const LossInput& in) {
  ExactSum sum;
  for (std::size_t i = 0; i < in.n_rows; ++i) sum.add(in.weight_of(i) * in.y[i]);
  const double total = total_weight(in);
  return total > 0 ? sum.value() / total : 0.0;
}

double total_weight(const LossInput& in) {
  if (in.weight == nullptr) return static_cast<double>(in.n_rows);
  ExactSum sum;
  for (std::size_t i = 0; i < in.n_rows; ++i) sum.add(in.weight[i]);
  return sum.value();
}

}  // namespace dpdtree::boosting
