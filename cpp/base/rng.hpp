// Counter-based random numbers: a pure function of (seed, counter), so that nothing
// depends on the order in which threads ask.
#pragma once

#include "base/types.hpp"

namespace dpdtree {

// splitmix64's finaliser: a bijection of 64-bit words that passes statistical tests.
inline u64 mix64(u64 x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Draws items by a hash of their numbers: whether one is drawn depends neither on the
// others nor on who asks, so that parts of the items can be drawn from separately.
class NumberHash {
 public:
  NumberHash(u64 seed, Hash128 stream)
      : key_(mix64(seed ^ mix64(stream.lo ^ mix64(stream.hi)))) {}

  // Uniform over all 64-bit words.
  u64 operator()(u64 number) const { return mix64(number ^ key_); }
  // Uniform in [0, bound), bound > 0.
  u32 below(u32 bound, u64 number) const {
    return static_cast<u32>((((*this)(number) >> 32) * bound) >> 32);
  }

 private:
  u64 key_;
};

class CounterRng {
 public:
  CounterRng(u64 seed, Hash128 stream)
      : key_(mix64(seed ^ mix64(stream.lo ^ mix64(stream.hi)))) {}

  // Uniform in [0, bound), bound > 0; the bias of the multiply-shift is < 2^-32.
  u32 below(u32 bound) {
    const u64 word = mix64(key_ + counter_++) >> 32;
    return static_cast<u32>((word * bound) >> 32);
  }

 private:
  u64 key_;
  u64 counter_ = 0;
};

}  // namespace dpdtree
