#define DPDTREE_LANES lanes_portable
#define DPDTREE_PORTABLE_LANES
#include "simd/stump_kernels_impl.hpp"

namespace dpdtree {
StumpKernels portable_kernels() { return lanes_portable::make_kernels(); }
}  // namespace dpdtree
