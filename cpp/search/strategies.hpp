// The strategies: how a tree, or a whole front of trees, is searched.
#pragma once

#include <vector>

#include "prove/optimal.hpp"
#include "search/search.hpp"

namespace dpdtree {

// Who follows a proof. If the report may stop it, a good tree has to be there first.
struct ProofWatch {
  Report report;
  bool may_stop = false;
};

// The tree of the search's strategy, and whether it is proven to be the best.
OptimalResult find_tree(const Search& search, const ProofWatch& watch);

// The best trees for all alphas, or for all numbers of leaves; the objective must have
// no alpha. They are in no order, but the last one is the largest.
enum class FrontKind { alpha, leaves };
std::vector<Solution> find_front(const Search& search, FrontKind kind);

}  // namespace dpdtree
