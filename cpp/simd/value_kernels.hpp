// Looks at the values of a matrix, whatever they stand for.
#pragma once

#include <cstddef>

namespace dpdtree {

struct ValueKernels {
  // Whether one of n values, side by side but perhaps unaligned, is infinite.
  bool (*has_infinite_double)(const std::byte* values, std::size_t n);
  bool (*has_infinite_float)(const std::byte* values, std::size_t n);
};

}  // namespace dpdtree
