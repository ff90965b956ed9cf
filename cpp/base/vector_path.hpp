// Which vector instructions are used: chosen once at run time, the same for all code.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace dpdtree {

enum class VectorPath : u8 { portable, sse2, avx2 };

VectorPath vector_path();
const char* vector_path_name();

// For tests: "avx2", "sse2", "portable" or "best". False if this processor cannot.
bool force_vector_path(const char* name);

}  // namespace dpdtree
