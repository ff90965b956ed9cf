// What lies on both sides of each edge between bins of classes; and what splits within
// bins of numbers can reach at most.
#pragma once

#include <cstddef>

#include "base/types.hpp"

namespace dpdtree {

// One entry per edge, which has all bins up to it on its left; all zero to begin with.
struct ClassEdges {
  i32* n;          // rows on the left
  double* left;    // Σl² of its classes …
  double* right;   // … and of those on the right
  i32* most_left;  // rows of the largest class of each side; null: nobody asks
  i32* most_right;
  i32* scratch;
};

// Bins of numbers with what is left of each: bin i lies between entries i and i + 1.
struct NumberBins {
  const double* sum;
  const double* weight;
  const double* squares;  // of the bin itself, never too small
  std::size_t n;
};

// What splits of a node are compared with: its weight and mean, the score to be
// reached, and how far rounding may move the sum of a side.
struct NumberFloor {
  double all_weight, mean, score, rounding;
};

struct BinKernels {
  // `counts` are those of n_classes classes, bin after bin; `joined` of these are one
  // of the n_bins bins. `total` has the node's rows of each class.
  void (*class_edges)(const u32* counts, std::size_t n_classes, std::size_t joined,
                      std::size_t n_bins, const double* total, const ClassEdges& out);
  // By how much splits within each bin may exceed the floor, times what is positive;
  // below 0: none reaches it. Not for the first and the last bin with any row.
  void (*number_excess)(const NumberBins& bins, const NumberFloor& floor,
                        double* excess);
};

}  // namespace dpdtree
