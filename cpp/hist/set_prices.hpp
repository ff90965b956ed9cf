// What a set of categories has to gain before it is compared with other splits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "hist/binned_data.hpp"

namespace dpdtree::boosting {

// What the first m of n categories that tell nothing gain on average, in the order of
// their mean gradients. Standardised means are normal, so with q = m / n that is
// n/2 · density(quantile(q))² / (q (1 - q)) times the noise of a row: between .46 (at
// the middle) and 1 (at the ends) of ln C(n, m), of which one half is taken, less what
// a threshold among n values gains as well. Without it a column of hundreds of codes
// takes most splits of most trees, whatever it tells.
class SetPrices {
 public:
  SetPrices(u32 n, double noise) : n_(n) {
    if (n < 3 || !(noise > 0)) return;
    const u32 most = n / 2;  // categories on the smaller side
    double log_sets = std::log(static_cast<double>(most)) - std::log(n - 1.0);
    for (u32 m = 1; m <= most; ++m) {
      log_sets += std::log(static_cast<double>(n - m + 1) / m);
      price_[m] = noise / 2 * std::max(0.0, log_sets);
    }
  }

  // Of a set of m categories, or of the others.
  double operator[](u32 m) const { return price_[std::min(m, n_ - m)]; }

 private:
  u32 n_;
  std::array<double, kMaxBins / 2 + 2> price_{};
};

}  // namespace dpdtree::boosting
