// All kernels, compiled once per instruction set: a file that includes this defines
// DPDTREE_LANES, a namespace of its own, so that code compiled for one instruction set
// is never linked in place of another's.
#pragma once

#include "simd/bin_kernels_impl.hpp"
#include "simd/dispatch.hpp"
#include "simd/gradient_kernels_impl.hpp"
#include "simd/loss_kernels_impl.hpp"
#include "simd/pair_histogram_kernels_impl.hpp"
#include "simd/pair_kernels_impl.hpp"
#include "simd/pair_sum_kernels_impl.hpp"
#include "simd/ratio_kernels_impl.hpp"
#include "simd/stump_kernels_impl.hpp"
#include "simd/value_kernels_impl.hpp"

namespace dpdtree {
inline namespace DPDTREE_LANES {

inline Kernels make_kernels(InstructionSet set) {
  return {set,
          boosting::make_gradient_kernels(),
          boosting::make_loss_kernels(),
          make_stump_kernels(),
          make_pair_kernels(),
          make_pair_histogram_kernels(),
          make_pair_sum_kernels(),
          make_value_kernels(),
          make_ratio_kernels(),
          make_bin_kernels()};
}

}  // namespace DPDTREE_LANES
}  // namespace dpdtree
