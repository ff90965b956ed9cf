// The shared vocabulary of the core: integer aliases and the hash of a set of rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dpdtree {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

using Row = u32;

// Sum of one random 128-bit word per row (each half modulo 2^64). 64 bits would
// collide once a few billion subsets have been seen.
struct Hash128 {
  u64 lo = 0;
  u64 hi = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  Hash128& operator+=(const Hash128& o) {
    lo += o.lo;
    hi += o.hi;
    return *this;
  }
  Hash128 operator-(const Hash128& o) const { return {lo - o.lo, hi - o.hi}; }
};

}  // namespace dpdtree
