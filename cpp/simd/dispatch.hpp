// Which vector instructions are used: chosen once at run time, the same for all code.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace dpdtree {

enum class InstructionSet : u8 { portable, sse2, avx2 };

InstructionSet instruction_set();
const char* instruction_set_name();

// For tests: "avx2", "sse2", "portable" or "best". False if this processor cannot.
bool force_instruction_set(const char* name);

}  // namespace dpdtree
