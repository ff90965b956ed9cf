// The best tree that begins with given splits. Below them every open node is a search
// of its own, by the strategy; what the parts cost is added up.
#pragma once

#include <vector>

#include "search/strategies.hpp"

namespace dpdtree {

// As find_tree and find_front, with the splits of params.forced_splits at the top.
// InputError: one of them breaks a limit or a constraint.
OptimalResult find_forced_tree(const Search& search, const ProofWatch& watch);
std::vector<Solution> find_forced_front(const Search& search, FrontKind kind);

// The best tree of at most search.max_leaves() leaves that begins with this split of
// the root of the search; with max_leaf_nodes.
Solution best_within_leaves(const Search& search, const Split& split,
                            const Children& children);

// The plan with its value at the root of the search.
Solution valued_at(const Search& search, const Plan& plan);

// Does the first split of the plan divide the node's rows as it is divided here?
bool divides_alike(SearchContext& context, const NodeView& node, const Plan& plan,
                   const Split& split, const Children& children);

// The strategies whose tree of a state is not made of their trees of its children:
// refinement moves all of its splits. Below a tree's own splits they keep it.
bool keeps_its_tree(const Search& search);

}  // namespace dpdtree
