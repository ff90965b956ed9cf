// Losses of real targets on their own scale: squared error, absolute error, quantiles.
#include "loss/boosting_loss.hpp"

namespace dpdtree::boosting {
namespace {

class SquaredError : public Loss {
 public:
  std::vector<double> baseline(const LossInput& in) const override {
    return {weighted_mean(in)};
  }
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    for (std::size_t i = begin; i < end; ++i) {
      gradient[i] = static_cast<float>(in.raw[i] - in.y[i]);
      hessian[i] = 1.0f;
    }
  }
  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double d = in.raw[i] - in.y[i];
      total += in.weight_of(i) * d * d / 2;
    }
    return total;
  }
};

// scale · quantile loss; the absolute error is twice that of the median. It is flat
// almost everywhere: the hessian is set to 1 for the search, and leaves are set to the
// quantile of their residuals afterwards.
class Pinball : public Loss {
 public:
  Pinball(double quantile, double scale) : quantile_(quantile), scale_(scale) {}

  std::vector<double> baseline(const LossInput& in) const override {
    std::vector<std::pair<double, double>> values;
    values.reserve(in.n_rows);
    for (std::size_t i = 0; i < in.n_rows; ++i)
      values.emplace_back(in.y[i], in.weight_of(i));
    return {weighted_quantile(std::move(values), quantile_)};
  }
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    for (std::size_t i = begin; i < end; ++i) {
      const double slope = in.y[i] >= in.raw[i] ? -quantile_ : 1 - quantile_;
      gradient[i] = static_cast<float>(scale_ * slope);
      hessian[i] = 1.0f;
    }
  }
  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double d = in.y[i] - in.raw[i];
      total +=
          in.weight_of(i) * scale_ * (d >= 0 ? quantile_ * d : (quantile_ - 1) * d);
    }
    return total;
  }
  double leaf_quantile() const override { return quantile_; }

 private:
  double quantile_;
  double scale_;
};

}  // namespace

std::unique_ptr<Loss> squared_error() { return std::make_unique<SquaredError>(); }

std::unique_ptr<Loss> pinball(double quantile, double scale) {
  return std::make_unique<Pinball>(quantile, scale);
}

}  // namespace dpdtree::boosting
