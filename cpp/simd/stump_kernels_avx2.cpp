// Compiled with -mavx2 (see CMakeLists.txt); called only where the processor has it.
#if defined(__x86_64__)
#define DPDTREE_LANES lanes_avx2
#include "simd/stump_kernels_impl.hpp"

namespace dpdtree {
StumpKernels avx2_kernels() { return lanes_avx2::make_kernels(); }
}  // namespace dpdtree
#endif
