// The kernels of all rooms, for the vector instructions in use. Every instruction set
// compiles them once, in a file of its own; which one runs is chosen here, once, when
// the first kernel is asked for.
#pragma once

#include "base/types.hpp"
#include "simd/bin_kernels.hpp"
#include "simd/gradient_kernels.hpp"
#include "simd/loss_kernels.hpp"
#include "simd/pair_histogram_kernels.hpp"
#include "simd/pair_kernels.hpp"
#include "simd/pair_sum_kernels.hpp"
#include "simd/ratio_kernels.hpp"
#include "simd/stump_kernels.hpp"
#include "simd/value_kernels.hpp"

namespace dpdtree {

enum class InstructionSet : u8 { portable, sse2, avx2, avx512 };

struct Kernels {
  InstructionSet set;
  boosting::GradientKernels gradient;
  boosting::LossKernels loss;
  StumpKernels stump;
  PairKernels pair;
  PairHistogramKernels pair_histogram;
  PairSumKernels pair_sum;
  ValueKernels value;
  RatioKernels ratio;
  BinKernels bin;
};

// Those of the best instruction set this processor has, unless a test forced another.
const Kernels& kernels();

const char* instruction_set_name();

// For tests: "avx512", "avx2", "sse2", "portable" or "best". False if this processor
// cannot.
bool force_instruction_set(const char* name);

// One file each.
Kernels portable_kernels();
#if defined(__x86_64__)
Kernels sse2_kernels();
Kernels avx2_kernels();
Kernels avx512_kernels();
#endif

}  // namespace dpdtree
