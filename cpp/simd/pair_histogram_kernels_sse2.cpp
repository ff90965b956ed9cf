#if defined(__x86_64__)
#define DPDTREE_LANES joint_sse2
#include "simd/pair_histogram_kernels_impl.hpp"

namespace dpdtree {
PairHistogramKernels sse2_joint_kernels() { return joint_sse2::make_joint_kernels(); }
}  // namespace dpdtree
#endif
