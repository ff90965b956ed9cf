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
  std::vector<double> start(const StartSums&) const override {
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

double total_weight(const LossInput& in) {
  StartSums sums;
  sums.add_weights(in);
  return sums.weight.value();
}

void StartSums::add_weights(const LossInput& in) {
  if (in.weight == nullptr) return weight.add(static_cast<double>(in.n_rows));
  for (std::size_t i = 0; i < in.n_rows; ++i) weight.add(in.weight[i]);
}

double StartSums::mean() const {
  const double total = weight.value();
  return total > 0 ? terms.at(0).value() / total : 0.0;
}

StartSums& StartSums::operator+=(const StartSums& other) {
  weight += other.weight;
  terms.resize(std::max(terms.size(), other.terms.size()));
  for (std::size_t k = 0; k < other.terms.size(); ++k) terms[k] += other.terms[k];
  return *this;
}

void StartSums::write(ByteWriter& out) const {
  weight.write(out);
  out.number(terms.size());
  for (const ExactSum& term : terms) term.write(out);
}

StartSums StartSums::read(ByteReader& in) {
  StartSums sums;
  sums.weight = ExactSum::read(in);
  const u64 n = in.count();
  for (u64 k = 0; k < n; ++k) sums.terms.push_back(ExactSum::read(in));
  return sums;
}

std::vector<double> Loss::baseline(const LossInput& in) const {
  StartSums sums;
  add_start(in, sums);
  return start(sums);
}

void Loss::add_start(const LossInput& in, StartSums& sums) const {
  sums.add_weights(in);
  sums.terms.resize(1);
  for (std::size_t i = 0; i < in.n_rows; ++i)
    sums.terms[0].add(in.weight_of(i) * in.y[i]);
}

}  // namespace dpdtree::boosting
