#include "simd/gradient_kernels.hpp"

#include <atomic>
#include <string_view>

namespace dpdtree::boosting {
namespace {

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

const Kernels& table(bool avx2) {
  static const Kernels baseline = baseline_kernels();
#if defined(__x86_64__)
  static const Kernels fast = avx2_kernels();
  if (avx2) return fast;
#endif
  return baseline;
}

std::atomic<const Kernels*>& current() {
  static std::atomic<const Kernels*> in_use{&table(has_avx2())};
  return in_use;
}

}  // namespace

const Kernels& kernels() { return *current().load(std::memory_order_relaxed); }

bool force_kernels(const char* name) {
  const std::string_view wanted(name);
  const bool avx2 = wanted == "avx2" || (wanted == "best" && has_avx2());
  const bool known = avx2 || wanted == "baseline" || wanted == "best";
  if (!known || (avx2 && !has_avx2())) return false;
  current() = &table(avx2);
  return true;
}

}  // namespace dpdtree::boosting
