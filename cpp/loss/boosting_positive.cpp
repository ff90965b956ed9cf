// Losses of targets >= 0 with a logarithmic link: Poisson and gamma.
#include <algorithm>
#include <cmath>
#include <limits>

#include "loss/boosting_loss.hpp"
#include "simd/dispatch.hpp"

namespace dpdtree::boosting {
namespace {

constexpr std::size_t kChunk = 512;

class LogLink : public Loss {
 public:
  std::vector<double> baseline(const LossInput& in) const override {
    const double tiny = std::numeric_limits<double>::min();
    return {std::log(std::max(weighted_mean(in), tiny))};
  }

 protected:
  // f(row, exp(sign · raw)) for all rows begin … end-1.
  template <class F>
  static void with_exponentials(const LossInput& in, std::size_t begin, std::size_t end,
                                double sign, F&& f) {
    double e[kChunk];
    for (std::size_t first = begin; first < end; first += kChunk) {
      const std::size_t n = std::min(kChunk, end - first);
      for (std::size_t i = 0; i < n; ++i) e[i] = sign * in.raw[first + i];
      kernels().gradient.exponentials(e, n, e);
      for (std::size_t i = 0; i < n; ++i) f(first + i, e[i]);
    }
  }
};

class Poisson : public LogLink {
 public:
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    with_exponentials(in, begin, end, 1, [&](std::size_t i, double mean) {
      gradient[i] = static_cast<float>(mean - in.y[i]);
      hessian[i] = static_cast<float>(mean);
    });
  }
  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    double total = 0;
    with_exponentials(in, begin, end, 1, [&](std::size_t i, double mean) {
      total += in.weight_of(i) * (mean - in.y[i] * in.raw[i]);
    });
    return total;
  }
};

class GammaDeviance : public LogLink {
 public:
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    with_exponentials(in, begin, end, -1, [&](std::size_t i, double inverse) {
      gradient[i] = static_cast<float>(1 - in.y[i] * inverse);
      hessian[i] = static_cast<float>(in.y[i] * inverse);
    });
  }
  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    double total = 0;
    with_exponentials(in, begin, end, -1, [&](std::size_t i, double inverse) {
      total += in.weight_of(i) * (in.raw[i] + in.y[i] * inverse);
    });
    return total;
  }
};

}  // namespace

std::unique_ptr<Loss> poisson() { return std::make_unique<Poisson>(); }

std::unique_ptr<Loss> gamma_deviance() { return std::make_unique<GammaDeviance>(); }

}  // namespace dpdtree::boosting
