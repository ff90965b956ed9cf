// Histograms of gradients in whole numbers. Sums of integers are exact in any order:
// the result depends neither on threads nor on instruction sets, and a child's
// histogram is its parent's minus its sibling's without any loss.
#pragma once

#include <cmath>
#include <cstddef>

#include "base/types.hpp"

namespace dpdtree::boosting {

// One row: multiples of Units::gradient and Units::hessian.
struct RowGradient {
  i32 gradient;
  i32 hessian;  // >= 0
};

// A sum over rows.
struct GradientSum {
  i64 gradient = 0;
  i64 hessian = 0;
  i64 count = 0;

  GradientSum& operator+=(const GradientSum& o) {
    gradient += o.gradient;
    hessian += o.hessian;
    count += o.count;
    return *this;
  }
  GradientSum operator+(const GradientSum& o) const { return GradientSum(*this) += o; }
  GradientSum operator-(const GradientSum& o) const {
    return {gradient - o.gradient, hessian - o.hessian, count - o.count};
  }
};

// A cell of a histogram is one bin: `mass` holds two sums, hessian << count_bits |
// number of rows, so that one 128-bit addition does all three. Trees of more rows than
// that has bits for have wide cells of two bins: the hessian is alone in the first
// mass, the number of rows is the second.
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

// The meaning of a cell. Units are powers of two and sums stay below 2^51 of them, so
// converting to double is exact.
struct Units {
  double gradient = 1;
  double hessian = 1;
  u32 count_bits = 1;  // 0: wide cells
  double weight = 1;   // of sample weights, contained in both
  // The mean squared gradient over the mean hessian: twice what a split that tells
  // nothing gains on average. 0 where nobody asks.
  double noise = 0;

  bool wide() const { return count_bits == 0; }
  std::size_t bins_per_cell() const { return wide() ? 2 : 1; }

  GradientSum sum_of_packed(const Bin& b) const {
    return {b.gradient, b.mass >> count_bits, b.mass & ((i64{1} << count_bits) - 1)};
  }
  // Of a cell, by its first bin.
  GradientSum sum_of(const Bin* cell) const {
    if (!wide()) return sum_of_packed(*cell);
    return {cell[0].gradient, cell[0].mass, cell[1].mass};
  }
  void put(const GradientSum& sum, Bin* cell) const {
    cell[0] = {sum.gradient, sum.hessian << count_bits};
    if (wide())
      cell[1] = {0, sum.count};
    else
      cell[0].mass += sum.count;
  }

  double gradient_of(const GradientSum& s) const {
    return static_cast<double>(s.gradient) * gradient;
  }
  double hessian_of(const GradientSum& s) const {
    return static_cast<double>(s.hessian) * hessian;
  }
};

}  // namespace dpdtree::boosting
