// What every strategy says about its tree, held against the tree, the rows and the
// oracle.
#pragma once

#include <string>
#include <vector>

#include "problem.hpp"

namespace dpdtree::fuzz {

struct Finding {
  std::string what;
  TreeParams params;  // of the fit
};

struct Verdict {
  std::vector<Finding> findings;
  std::size_t fits = 0;
  double best = 0;  // the oracle's objective
};

Verdict check(const Problem& problem);

}  // namespace dpdtree::fuzz
