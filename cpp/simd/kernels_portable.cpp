#define DPDTREE_LANES lanes_portable
#define DPDTREE_PORTABLE_LANES
#include "simd/kernels_impl.hpp"

namespace dpdtree {
Kernels portable_kernels() {
  return lanes_portable::make_kernels(InstructionSet::portable);
}
}  // namespace dpdtree
