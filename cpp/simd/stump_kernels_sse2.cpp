#if defined(__x86_64__)
#define DPDTREE_LANES lanes_sse2
#include "simd/stump_kernels_impl.hpp"

namespace dpdtree {
StumpKernels sse2_kernels() { return lanes_sse2::make_kernels(); }
}  // namespace dpdtree
#endif
