#define DPDTREE_PAIRS pairs_portable
#include "solve/exact/pair_kernels_impl.hpp"

namespace dpdtree {
PairKernels portable_pair_kernels() { return pairs_portable::make_pair_kernels(); }
}  // namespace dpdtree
