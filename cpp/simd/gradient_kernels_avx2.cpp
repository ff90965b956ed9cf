// Compiled with -mavx2 (see CMakeLists.txt); called only where the processor has it.
#if defined(__x86_64__)
#define DPDTREE_LANES lanes_avx2
#include "simd/gradient_kernels_impl.hpp"

namespace dpdtree::boosting {
Kernels avx2_kernels() { return lanes_avx2::make_kernels("avx2"); }
}  // namespace dpdtree::boosting
#endif
