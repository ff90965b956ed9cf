// The trees of a front, smallest first, and for which alpha each of them is best.
#pragma once

#include <vector>

#include "search/extract.hpp"

namespace dpdtree {

struct PathPoint {
  Tree tree;
  double loss = 0;
  double complexity = 0;
  double feature_cost = 0;
  double alpha_low = 0;  // best for alpha_low <= alpha < alpha_high …
  double alpha_high = 0;
};

// True for a tree that costs less than the end of its path: a search with alpha = 0,
// which looks for that end alone, would not find it. Rounding is that of the root's
// loss: an end without any loss may be told from another one by nothing else.
bool below_end(double cost, double end, double root_loss);

// What remains of the trees on the lower convex hull of complexity and loss, costs of
// features included; the last tree given is its end.
std::vector<PathPoint> alpha_path(std::vector<Extracted> trees, double root_loss);

// What remains of the trees that no smaller or equal one matches; alphas are NaN.
std::vector<PathPoint> leaf_path(std::vector<Extracted> trees);

}  // namespace dpdtree
