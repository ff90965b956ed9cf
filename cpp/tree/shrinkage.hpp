// Hierarchical shrinkage (Agarwal, Tan, Ronen, Singh, Yu 2022): the value of a node is
// that of the root plus, for each step of its path, what the step changes, divided by
// 1 + strength / (rows of the upper node).
//
// A shrunk value is a mean of the values on the path with weights >= 0, so it stays
// between them; strength 0 changes nothing. The divisors grow on the way down, which is
// why monotone values stay monotone: if all nodes below a split keep to their side of
// its middle, so do their shrunk values.
#pragma once

#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace dpdtree {

// What is left of a step below a node of so many rows.
inline double shrunk_share(double strength, double rows) {
  return rows / (rows + strength);
}

// n_values per node, as tree.value. `rows`: how many rows each node stands for.
std::vector<double> shrunk_values(const Tree& tree, std::span<const double> rows,
                                  double strength);

}  // namespace dpdtree
