// Histograms as bytes: as many for each number as the largest of its kind needs.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "simd/gradient_bin.hpp"

namespace dpdtree::boosting {

// The three sums of each cell, apart; they add up over partitions.
struct BinPlanes {
  std::vector<i64> gradient;
  std::vector<i64> hessian;
  std::vector<i64> count;

  BinPlanes() = default;
  BinPlanes(std::span<const Bin> bins, const Units& units);

  BinPlanes& operator+=(const BinPlanes& other);
  void write(ByteWriter& out) const;
  static BinPlanes read(ByteReader& in);
  void copy_to(std::span<Bin> bins, const Units& units) const;
};

}  // namespace dpdtree::boosting
