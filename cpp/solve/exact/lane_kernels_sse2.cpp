#if defined(__x86_64__)
#define DPDTREE_LANES lanes_sse2
#include "solve/exact/lane_kernels_impl.hpp"

namespace dpdtree {
LaneKernels sse2_kernels() { return lanes_sse2::make_kernels(); }
}  // namespace dpdtree
#endif
