// Histograms of gradients in whole numbers. Sums of integers are exact in any order:
// the result depends neither on threads nor on instruction sets, and a child's
// histogram is its parent's minus its sibling's without any loss.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace dpdtree::boosting {

// One row: multiples of Units::gradient and Units::hessian.
struct RowGradient {
  i32 gradient;
  i32 hessian;  // >= 0
};

// A sum over rows. `mass` holds two sums, hessian << count_bits | number of rows, so
// that one 128-bit addition does all three.
struct alignas(16) Bin {
  i64 gradient = 0;
  i64 mass = 0;

  Bin& operator+=(const Bin& o) {
    gradient += o.gradient;
    mass += o.mass;
    return *this;
  }
  Bin operator+(const Bin& o) const { return {gradient + o.gradient, mass + o.mass}; }
  Bin operator-(const Bin& o) const { return {gradient - o.gradient, mass - o.mass}; }
};

// The meaning of a Bin. Units are powers of two and sums stay below 2^51 of them, so
// converting to double is exact.
struct Units {
  double gradient = 1;
  double hessian = 1;
  u32 count_bits = 1;
  double weight = 1;  // of sample weights, contained in both
  // The mean squared gradient over the mean hessian: twice what a split that tells
  // nothing gains on average. 0 where nobody asks.
  double noise = 0;

  double gradient_of(const Bin& b) const {
    return static_cast<double>(b.gradient) * gradient;
  }
  double hessian_of(const Bin& b) const {
    return static_cast<double>(b.mass >> count_bits) * hessian;
  }
  i64 count_of(const Bin& b) const { return b.mass & ((i64{1} << count_bits) - 1); }
};

}  // namespace dpdtree::boosting
