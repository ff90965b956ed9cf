// Boosted losses of targets >= 0 whose scores are logarithms of means.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "loss/boosting_loss.hpp"
#include "simd/dispatch.hpp"

namespace dpdtree::boosting {

class LogLink : public Loss {
 public:
  std::vector<double> start(const StartSums& sums) const override {
    const double tiny = std::numeric_limits<double>::min();
    return {std::log(std::max(sums.mean(), tiny))};
  }

 protected:
  // f(row, exp(sign · raw)) for all rows begin … end-1.
  template <class F>
  static void with_exponentials(const LossInput& in, std::size_t begin, std::size_t end,
                                double sign, F&& f) {
    constexpr std::size_t kChunk = 512;
    double e[kChunk];
    for (std::size_t first = begin; first < end; first += kChunk) {
      const std::size_t n = std::min(kChunk, end - first);
      for (std::size_t i = 0; i < n; ++i) e[i] = sign * in.raw[first + i];
      kernels().gradient.exponentials(e, n, e);
      for (std::size_t i = 0; i < n; ++i) f(first + i, e[i]);
    }
  }
};

}  // namespace dpdtree::boosting
