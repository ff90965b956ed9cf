// A set of few distinct values, found by hashing.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "data/column.hpp"

namespace dpdtree {

// Distinct values, at most kFewValues.
class FewValues {
 public:
  // The slot of a value that is not NaN, or -1 if there are too many values.
  int slot_of(double value) {
    const u64 bits = std::bit_cast<u64>(value + 0.0);  // -0.0 → 0.0
    u32 h = static_cast<u32>((bits * 0x9e3779b97f4a7c15ULL) >> (64 - kLogSize));
    for (; key_[h] != bits; h = (h + 1) & (kSize - 1))
      if (key_[h] == kNone) return add(h, bits);
    return slot_[h];
  }

  FewValues() { key_.fill(kNone); }
  std::vector<double> values;

 private:
  int add(u32 h, u64 bits) {
    if (values.size() == kFewValues) return -1;
    key_[h] = bits;
    slot_[h] = static_cast<u8>(values.size());
    values.push_back(std::bit_cast<double>(bits));
    return slot_[h];
  }

  static constexpr u32 kLogSize = 10;
  static constexpr u32 kSize = 1u << kLogSize;
  static constexpr u64 kNone = ~0ULL;  // a NaN
  std::array<u64, kSize> key_;
  std::array<u8, kSize> slot_;
};

}  // namespace dpdtree
