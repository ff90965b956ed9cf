// Short integers that order like the values of a column, except that neighbours may
// have the same one.
#pragma once

#include <bit>
#include <span>

#include "base/types.hpp"

namespace dpdtree {

// What is known of the values that are not NaN.
struct Spread {
  double min = 0;
  double max = 0;
  u64 bits = 0;  // that are set in any of them
  std::size_t count = 0;

  void add(const Spread& o);
};

Spread spread_of(std::span<const double> values);

class SortKeys {
 public:
  // Chooses the kind of key that tells more of the values apart: their distance from
  // the least, or their leading bits, which suit values of many magnitudes.
  SortKeys(std::span<const double> values, const Spread& spread);

  u32 n_bits() const { return n_bits_; }
  bool exact() const { return exact_; }  // equal keys mean equal values

  // An integer of 64 bits that orders like the number.
  static u64 order_key(double value) {
    const u64 bits = std::bit_cast<u64>(value + 0.0);  // -0.0 → 0.0
    const u64 sign = 1ULL << 63;
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }

 private:
  // Before visit: their types are deduced.
  auto by_distance() const {
    return [min = min_, scale = scale_](double v) {
      return static_cast<u64>(static_cast<i64>((v - min) * scale));
    };
  }
  auto by_bits() const {
    return [least = least_, shift = shift_](double v) {
      return (order_key(v) - least) >> shift;
    };
  }

 public:
  // Calls f with a function that makes keys.
  template <class F>
  void visit(F&& f) const {
    linear_ ? f(by_distance()) : f(by_bits());
  }

 private:
  bool linear_ = false;
  bool exact_ = false;
  u32 n_bits_ = 0;
  double min_ = 0, scale_ = 0;
  u64 least_ = 0;
  u32 shift_ = 0;
};

}  // namespace dpdtree
