// The inner loops over pairs of questions; each instruction set compiles them once, in
// its own file, and hands them over as a table of functions.
#pragma once

#include <cstddef>

#include "base/types.hpp"

namespace dpdtree {

// A question f beside the n questions after it. Per class k: how many rows say yes to
// both, `both[k]`; to each of the others, `single[k]`; to f, `own[k]`; and all there
// are, `total[k]`.
struct PairRow {
  std::size_t n;
  std::size_t n_classes;
  const i32* const* both;
  const i32* const* single;
  const i32* own;
  const i32* total;
  const double* unit;  // per class, the weight of one row
  i32 least;           // rows of a leaf
};

// Losses of the best stumps of the rows that say yes or no to a question; those of the
// questions after f are improved, those of f returned.
template <class T>
struct StumpLosses {
  T yes, no;
};

struct PairKernels {
  // out[j] = bits that word w of `own` and columns[w * stride + j] have in common, over
  // all words.
  void (*count)(const u64* own, const u64* columns, std::size_t stride,
                std::size_t n_words, i32* out, std::size_t n);
  // Counts of two classes, of several, and weights of several.
  StumpLosses<i32> (*rate_two)(const PairRow& row, i32* yes, i32* no);
  StumpLosses<i32> (*rate_counts)(const PairRow& row, i32* yes, i32* no);
  StumpLosses<double> (*rate_weights)(const PairRow& row, double* yes, double* no);
};

// More than any sum of losses, and twice it is no overflow.
inline constexpr i32 kImpossible = 1 << 29;

}  // namespace dpdtree
