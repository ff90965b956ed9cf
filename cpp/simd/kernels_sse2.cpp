#if defined(__x86_64__)
#define DPDTREE_LANES lanes_sse2
#include "simd/kernels_impl.hpp"

namespace dpdtree {
Kernels sse2_kernels() { return lanes_sse2::make_kernels(InstructionSet::sse2); }
}  // namespace dpdtree
#endif
