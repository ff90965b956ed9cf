// Scores of splits that are quotients, many at a time.
#pragma once

#include <cstddef>

#include "base/types.hpp"

namespace dpdtree {

// Each writes the numerators and denominators of n scores and returns how many of them
// exceed `limit`. What is on the left of a split is given, and what there is in all.
struct RatioKernels {
  // (s·W − S·w)² / (w·(W−w)) of whole numbers …
  std::size_t (*counts)(const i32* s, const i32* w, std::size_t n, double all_s,
                        double all_w, double limit, double* num, double* den);
  // … and of any.
  std::size_t (*sums)(const double* s, const double* w, std::size_t n, double all_s,
                      double all_w, double limit, double* num, double* den);
  // a/w + b/(W−w): a is known of the left side, b of the right one.
  std::size_t (*squares)(const double* a, const double* b, const i32* w, std::size_t n,
                         double all_w, double limit, double* num, double* den);
};

}  // namespace dpdtree
