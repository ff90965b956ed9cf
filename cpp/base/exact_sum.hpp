// Sums of doubles without rounding, so that they depend neither on the order of the
// terms nor on how these are cut into blocks.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "base/bytes.hpp"
#include "base/types.hpp"

namespace dpdtree {

// A number of 2176 bits: limb i counts multiples of 2^(32 i - 1088), which covers all
// doubles. A term touches three limbs; carries wait until they have to be passed on.
class ExactSum {
 public:
  void add(double term) {
    const u64 bits = std::bit_cast<u64>(term);
    const u32 biased = static_cast<u32>(bits >> 52) & 0x7ff;
    const u64 fraction = bits & ((u64{1} << 52) - 1);
    const u64 digits = biased == 0 ? fraction : fraction | (u64{1} << 52);
    // The last digit stands for 2^(exponent - 1088).
    const u32 exponent = (biased == 0 ? 1 : biased) + 13;
    const u32 limb = exponent / 32, shift = exponent % 32;
    const u64 low = digits << shift;
    const u64 high = shift == 0 ? 0 : digits >> (64 - shift);
    const i64 sign = static_cast<i64>(bits) >> 63;  // 0 or -1: x ^ sign - sign = ±x
    limbs_[limb] += (static_cast<i64>(low & 0xffffffff) ^ sign) - sign;
    limbs_[limb + 1] += (static_cast<i64>(low >> 32) ^ sign) - sign;
    limbs_[limb + 2] += (static_cast<i64>(high) ^ sign) - sign;
    if (++pending_ == kMostPending) pass_on();
  }

  ExactSum& operator+=(ExactSum other) {
    other.pass_on();
    pass_on();
    for (std::size_t i = 0; i < kLimbs; ++i) limbs_[i] += other.limbs_[i];
    pass_on();
    return *this;
  }

  // The sum, rounded once (but for the last bit); infinite beyond all doubles.
  double value() const {
    ExactSum whole = *this;
    whole.pass_on();
    const bool negative = whole.limbs_[kLimbs - 1] < 0;
    if (negative) {
      for (i64& limb : whole.limbs_) limb = -limb;
      whole.pass_on();
    }
    std::size_t top = kLimbs;
    while (top > 0 && whole.limbs_[top - 1] == 0) --top;
    double sum = 0;
    for (std::size_t i = top > 3 ? top - 3 : 0; i < top; ++i)
      sum += std::ldexp(static_cast<double>(whole.limbs_[i]),
                        static_cast<int>(32 * i) - 1088);
    return negative ? -sum : sum;
  }

  void write(ByteWriter& out) const {
    ExactSum whole = *this;
    whole.pass_on();
    out.raw(whole.limbs_.data(), sizeof whole.limbs_);
  }
  static ExactSum read(ByteReader& in) {
    ExactSum sum;
    in.raw(sum.limbs_.data(), sizeof sum.limbs_);
    return sum;
  }

 private:
  // Afterwards every limb but the last lies in 0 … 2^32-1.
  void pass_on() {
    i64 carry = 0;
    for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
      const i64 limb = limbs_[i] + carry;
      carry = limb >> 32;
      limbs_[i] = limb & 0xffffffff;
    }
    limbs_[kLimbs - 1] += carry;
    pending_ = 0;
  }

  static constexpr std::size_t kLimbs = 70;
  static constexpr u32 kMostPending = 1u << 30;
  std::array<i64, kLimbs> limbs_{};
  u32 pending_ = 0;
};

// A sum of numbers of a known size: faster. Each term below 16 counts as the nearest
// multiple of 2^-40, whatever its neighbours; larger ones are added in full.
class FixedSum {
 public:
  void add(double term) {
    if (beyond(term) != 0) return large_.add(term);
    keep(on_grid(term));
  }
  // All of them at once: few terms on the grid add up without rounding, in any order.
  void add(const double* terms, std::size_t n) {
    constexpr std::size_t kMost = 512, kLanes = 4;
    for (; n > kMost; n -= kMost, terms += kMost) add(terms, kMost);
    u64 large = 0;
    for (std::size_t i = 0; i < n; ++i) large |= beyond(terms[i]);
    const std::size_t end = large == 0 ? n / kLanes * kLanes : 0;
    double sum[kLanes] = {};
    for (std::size_t i = 0; i < end; i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) sum[k] += on_grid(terms[i + k]);
    for (const double s : sum) keep(s);
    for (std::size_t i = end; i < n; ++i) add(terms[i]);
  }
  // Not rounded to the grid.
  void add_exactly(double term) { large_.add(term); }
  FixedSum& operator+=(const FixedSum& other) {
    high_ += other.high_;
    low_ += other.low_;
    large_ += other.large_;
    return *this;
  }
  void write(ByteWriter& out) const {
    out.raw(&high_, sizeof high_);
    out.raw(&low_, sizeof low_);
    large_.write(out);
  }
  static FixedSum read(ByteReader& in) {
    FixedSum sum;
    in.raw(&sum.high_, sizeof sum.high_);
    in.raw(&sum.low_, sizeof sum.low_);
    sum.large_ = ExactSum::read(in);
    return sum;
  }
  double value() const {
    ExactSum sum = large_;
    sum.add(std::ldexp(static_cast<double>(high_ + (low_ >> 32)), -8));
    sum.add(std::ldexp(static_cast<double>(low_ & 0xffffffff), -40));
    return sum.value();
  }

 private:
  // The first bit is set unless |term| < 16; of NaN, too. Whole numbers vectorise.
  static u64 beyond(double term) {
    constexpr u64 kSign = u64{1} << 63;
    const u64 size = std::bit_cast<u64>(term) & ~kSign;
    return (size + (kSign - std::bit_cast<u64>(16.0))) & kSign;
  }
  static double on_grid(double term) { return (term + 0x1.8p12) - 0x1.8p12; }
  void keep(double sum) {
    const auto whole = static_cast<i64>(sum * 0x1p40);
    high_ += whole >> 32;
    low_ += whole & 0xffffffff;
  }

  i64 high_ = 0;  // multiples of 2^-8
  i64 low_ = 0;   // multiples of 2^-40
  ExactSum large_;
};

// Rounds numbers to multiples of a power of two so coarse that any sum of n of them is
// exact in a double, in any order. By default it leaves them as they are.
class Grid {
 public:
  Grid() = default;
  // For n numbers of this size at most.
  Grid(double largest, std::size_t n) {
    if (!(largest > 0) || !std::isfinite(largest)) return;
    int exponent = 0;
    std::frexp(largest, &exponent);  // largest < 2^exponent
    // Sums below 2^(exponent + bit_width), in units of which 2^53 are exact; 3 · 2^51
    // units more, and the unit is the last digit.
    const int unit = exponent + static_cast<int>(std::bit_width(n)) - 52;
    const double shift = std::ldexp(1.5, unit + 52);
    if (!std::isfinite(shift) || !std::isnormal(std::ldexp(1.0, unit))) return;
    shift_ = shift;
    unit_ = std::ldexp(1.0, unit);
  }
  double operator()(double x) const { return (x + shift_) - shift_; }
  double unit() const { return unit_; }  // 0: none

 private:
  double shift_ = 0;
  double unit_ = 0;
};

}  // namespace dpdtree
