#define DPDTREE_LANES lanes_portable
#define DPDTREE_PORTABLE_LANES
#include "solve/exact/lane_kernels_impl.hpp"

namespace dpdtree {
LaneKernels portable_kernels() { return lanes_portable::make_kernels(); }
}  // namespace dpdtree
