// Which of some ascending limits a value lies between, without branches.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

class EdgeSearch {
 public:
  EdgeSearch() = default;
  explicit EdgeSearch(std::span<const double> edges) {
    while (size_ < edges.size() + 1) size_ *= 2;
    padded_.assign(size_, std::numeric_limits<double>::infinity());
    std::copy(edges.begin(), edges.end(), padded_.begin());
  }

  // How many of the limits are below a value that is not NaN.
  u32 n_below(double value) const {
    u32 at = 0;
    for (u32 half = size_ / 2; half > 0; half /= 2)
      at += padded_[at + half - 1] < value ? half : 0;
    return at;
  }

 private:
  u32 size_ = 1;
  std::vector<double> padded_;  // to a power of two
};

}  // namespace dpdtree
