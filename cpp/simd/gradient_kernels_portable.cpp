#define DPDTREE_LANES lanes_baseline
#include "simd/gradient_kernels_impl.hpp"

namespace dpdtree::boosting {
Kernels baseline_kernels() { return lanes_baseline::make_kernels("baseline"); }
}  // namespace dpdtree::boosting
