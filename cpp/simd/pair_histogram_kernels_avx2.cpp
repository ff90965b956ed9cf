// Compiled with -mavx2 (see CMakeLists.txt); called only where the processor has it.
#if defined(__x86_64__)
#define DPDTREE_LANES joint_avx2
#include "simd/pair_histogram_kernels_impl.hpp"

namespace dpdtree {
PairHistogramKernels avx2_joint_kernels() { return joint_avx2::make_joint_kernels(); }
}  // namespace dpdtree
#endif
