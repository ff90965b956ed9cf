// The two searches of strategy "balanced", for any value model, and what is made of
// their trees.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/dynamic_program.hpp"
#include "search/polish.hpp"
#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {

// The largest tree of a front.
inline const Solution& end_of(const Solution& front) { return front; }
inline const Solution& end_of(const std::vector<Solution>& front) {
  return front.back();
}

// Throws InputError on an unknown name.
std::unique_ptr<Generator> generator_of(const std::string& name);

// The published algorithm: as many candidates as asked for, to the last level.
template <ValueModel V>
typename V::Front search_paper(const Search& search, const V& value,
                               const Generator& generator);

// What the look-ahead gives, and the best plans of each of its roots.
template <ValueModel V>
struct DeepFront {
  typename V::Front front;
  std::vector<typename V::Front> roots;
};

// Limits may rule it out: see Search::may_exhaust_levels.
template <ValueModel V>
DeepFront<V> search_deep(const Search& search, const V& value);

// One best tree of both, refined, for the objective of the search: what a state below
// given splits is worth. Programs share what they know (SearchParts::memos).
Solution best_below(const Search& search);

// Null with constraints, of which it knows nothing.
std::unique_ptr<Lookahead> make_lookahead(const Search& search, const Cost& objective,
                                          bool all_alphas);

// The tree at the end of the front, refined where no constraints forbid it.
template <ValueModel V>
Polished largest_tree(const Search& search, const V& value, const DeepFront<V>& deep);

// A tree in the middle of a front, refined for what it is best at, and polished if that
// pays.
Polished refined_point(const Search& search, const AlphaHull& value,
                       const AlphaHull::Front& front, std::size_t i, bool pays);
Polished refined_point(const Search& search, const LeafBudgetFront& value,
                       const LeafBudgetFront::Front& front, std::size_t i, bool pays);

}  // namespace dpdtree
