// Compiled with AVX-512 and its count of bits (see CMakeLists.txt); called only where
// the processor has them. Counting pairs of questions gains by it; the other kernels
// stay those of AVX2.
#if defined(__x86_64__)
#define DPDTREE_LANES lanes_avx512
#include "simd/dispatch.hpp"
#include "simd/pair_kernels_impl.hpp"

namespace dpdtree {
Kernels avx512_kernels() {
  Kernels out = avx2_kernels();
  out.set = InstructionSet::avx512;
  out.pair = lanes_avx512::make_pair_kernels();
  return out;
}
}  // namespace dpdtree
#endif
