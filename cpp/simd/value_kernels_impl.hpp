// Included once per instruction set, by kernels_impl.hpp.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/types.hpp"
#include "simd/value_kernels.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

// Without a branch, and with a flag as wide as a value, so that the compiler compares
// several at a time.
template <class T>
bool has_infinite(const std::byte* values, std::size_t n) {
  using Flag = std::conditional_t<sizeof(T) == sizeof(u64), u64, u32>;
  Flag found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, values + i * sizeof(T), sizeof(T));
    found |= std::fabs(value) == std::numeric_limits<T>::infinity() ? 1 : 0;
  }
  return found != 0;
}

inline ValueKernels make_value_kernels() {
  return {has_infinite<double>, has_infinite<float>};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
