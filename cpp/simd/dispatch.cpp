#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

bool available(InstructionSet path) {
  if (path == InstructionSet::portable) return true;
#if defined(__x86_64__)
  return path == InstructionSet::sse2 || __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

InstructionSet best_path() {
  for (const InstructionSet path : {InstructionSet::avx2, InstructionSet::sse2})
    if (available(path)) return path;
  return InstructionSet::portable;
}

InstructionSet& chosen() {
  static InstructionSet path = best_path();
  return path;
}

const char* name_of(InstructionSet path) {
  return path == InstructionSet::avx2   ? "avx2"
         : path == InstructionSet::sse2 ? "sse2"
                                        : "portable";
}

}  // namespace

InstructionSet instruction_set() { return chosen(); }

const char* instruction_set_name() { return name_of(chosen()); }

bool force_instruction_set(const char* name) {
  const std::string_view wanted(name);
  if (wanted == "best") {
    chosen() = best_path();
    return true;
  }
  for (const auto path :
       {InstructionSet::portable, InstructionSet::sse2, InstructionSet::avx2}) {
    if (wanted != name_of(path) || !available(path)) continue;
    chosen() = path;
    return true;
  }
  return false;
}

}  // namespace dpdtree
