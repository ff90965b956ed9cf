#include "simd/dispatch.hpp"

#include <atomic>
#include <span>
#include <string_view>
#include <vector>

#if defined(_WIN32)
#include <windows.h>
#endif

namespace dpdtree {
namespace {

#if defined(__x86_64__)
// The compiler's own answer needs a library that Windows does not link.
bool has_avx2() {
#if defined(_WIN32)
  return IsProcessorFeaturePresent(PF_AVX2_INSTRUCTIONS_AVAILABLE) != 0;
#else
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
#endif
}

// Windows does not tell about counts of bits.
bool has_avx512() {
#if defined(_WIN32)
  return false;
#else
  return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vpopcntdq");
#endif
}
#endif

// Those this processor can run, the best one last.
std::span<const Kernels> available() {
  static const std::vector<Kernels> tables = [] {
    std::vector<Kernels> found{portable_kernels()};
#if defined(__x86_64__)
    found.push_back(sse2_kernels());
    if (has_avx2()) found.push_back(avx2_kernels());
    if (has_avx2() && has_avx512()) found.push_back(avx512_kernels());
#endif
    return found;
  }();
  return tables;
}

std::atomic<const Kernels*>& in_use() {
  static std::atomic<const Kernels*> tables{&available().back()};
  return tables;
}

const char* name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::portable:
      return "portable";
    case InstructionSet::sse2:
      return "sse2";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
  }
  return "";
}

}  // namespace

const Kernels& kernels() { return *in_use().load(std::memory_order_relaxed); }

const char* instruction_set_name() { return name_of(kernels().set); }

bool force_instruction_set(const char* name) {
  const std::string_view wanted(name);
  if (wanted == "best") {
    in_use() = &available().back();
    return true;
  }
  for (const Kernels& tables : available())
    if (wanted == name_of(tables.set)) {
      in_use() = &tables;
      return true;
    }
  return false;
}

}  // namespace dpdtree
