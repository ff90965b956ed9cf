#define DPDTREE_PAIRS pairs_portable
#include "simd/pair_kernels_impl.hpp"

namespace dpdtree {
PairKernels portable_pair_kernels() { return pairs_portable::make_pair_kernels(); }
}  // namespace dpdtree
