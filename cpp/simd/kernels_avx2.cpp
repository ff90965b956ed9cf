// Compiled with -mavx2 -mpopcnt (see CMakeLists.txt); called only where the processor
// has them.
#if defined(__x86_64__)
#define DPDTREE_LANES lanes_avx2
#include "simd/kernels_impl.hpp"

namespace dpdtree {
Kernels avx2_kernels() { return lanes_avx2::make_kernels(InstructionSet::avx2); }
}  // namespace dpdtree
#endif
