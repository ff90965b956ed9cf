#include "base/vector_path.hpp"

namespace dpdtree {
namespace {

bool available(VectorPath path) {
  if (path == VectorPath::portable) return true;
#if defined(__x86_64__)
  return path == VectorPath::sse2 || __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

VectorPath best_path() {
  for (const VectorPath path : {VectorPath::avx2, VectorPath::sse2})
    if (available(path)) return path;
  return VectorPath::portable;
}

VectorPath& chosen() {
  static VectorPath path = best_path();
  return path;
}

const char* name_of(VectorPath path) {
  return path == VectorPath::avx2   ? "avx2"
         : path == VectorPath::sse2 ? "sse2"
                                    : "portable";
}

}  // namespace

VectorPath vector_path() { return chosen(); }

const char* vector_path_name() { return name_of(chosen()); }

bool force_vector_path(const char* name) {
  const std::string_view wanted(name);
  if (wanted == "best") {
    chosen() = best_path();
    return true;
  }
  for (const auto path : {VectorPath::portable, VectorPath::sse2, VectorPath::avx2}) {
    if (wanted != name_of(path) || !available(path)) continue;
    chosen() = path;
    return true;
  }
  return false;
}

}  // namespace dpdtree
