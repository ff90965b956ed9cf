// Compiled with -mavx2 -mpopcnt (see CMakeLists.txt); called only where the processor
// has them.
#if defined(__x86_64__)
#define DPDTREE_PAIRS pairs_avx2
#include "simd/pair_kernels_impl.hpp"

namespace dpdtree {
PairKernels avx2_pair_kernels() { return pairs_avx2::make_pair_kernels(); }
}  // namespace dpdtree
#endif
