// What lies on both sides of each edge between bins of classes.
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

struct BinKernels {
  // `counts` are those of n_classes classes, bin after bin; `joined` of these are one
  // of the n_bins bins. `total` has the node's rows of each class.
  void (*class_edges)(const u32* counts, std::size_t n_classes, std::size_t joined,
                      std::size_t n_bins, const double* total, const ClassEdges& out);
};

}  // namespace dpdtree
