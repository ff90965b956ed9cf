// The greedy tree of a search, and what its prunings are worth.
#pragma once

#include "plan/plan.hpp"
#include "search/candidates/greedy.hpp"
#include "search/search.hpp"

namespace dpdtree {

// CART within the limits of the search, below the splits that are given; of all rows,
// or of those of another root.
GreedyGrower grow_greedy(const Search& search, const Plan& forced = nullptr);
GreedyGrower grow_greedy_from(const Search& search, NodeView root,
                              const Plan& forced = nullptr,
                              const GreedyPrunings* prunings = nullptr);

// The prunings that are the best by an objective, or by one that charges more.
class PricedPrunings final : public GreedyPrunings {
 public:
  explicit PricedPrunings(const Cost& cost) : cost_(cost) {}
  bool keeps_leaf(const NodeView& node, u32 levels) const override;
  bool keeps_leaf(SearchContext& context, const NodeView& node, const Split& split,
                  const Children& children, u32 levels) const override;

 private:
  const Cost cost_;
};

// Its plan as it is.
Plan plan_of_greedy(const GreedyGrower& grower);

// What its prunings are worth; splits that were given stay. `V` is a value model.
template <class V>
typename V::Front prune_greedy(SearchContext& context, const GreedyGrower& grower,
                               const V& value);

}  // namespace dpdtree
