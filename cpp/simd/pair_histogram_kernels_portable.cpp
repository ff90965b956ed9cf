#define DPDTREE_LANES joint_portable
#define DPDTREE_PORTABLE_LANES
#include "simd/pair_histogram_kernels_impl.hpp"

namespace dpdtree {
PairHistogramKernels portable_joint_kernels() {
  return joint_portable::make_joint_kernels();
}
}  // namespace dpdtree
