#include "search/candidates/greedy.hpp"
#include "search/dynamic_program.hpp"
#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {

template <class ValueModel>
typename ValueModel::Front prune_greedy(SearchContext& context,
                                        const GreedyGrower& grower,
                                        const ValueModel& kind) {
  const auto& nodes = grower.nodes();
  std::vector<typename ValueModel::Front> fronts(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children come after their parents
    const GreedyNode& node = nodes[i];
    fronts[i] = kind.leaf(node.view);
    if (node.left < 0) continue;
    const auto left = static_cast<std::size_t>(node.left);
    kind.backup(fronts[i], node.best.split,
                kind.price(context, node.view, node.best.split), fronts[left],
                fronts[left + 1]);
    fronts[left] = {};
    fronts[left + 1] = {};
  }
  return std::move(fronts[0]);
}

PlanPtr plan_of_greedy(const GreedyGrower& grower) {
  const auto& nodes = grower.nodes();
  std::vector<PlanPtr> plans(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].left < 0) continue;
    const auto left = static_cast<std::size_t>(nodes[i].left);
    plans[i] = join(nodes[i].best.split, plans[left], plans[left + 1]);
    plans[left] = plans[left + 1] = nullptr;
  }
  return plans[0];
}

template ScalarValue::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                         const ScalarValue&);
template AlphaHull::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                       const AlphaHull&);
template LeafBudgetFront::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                             const LeafBudgetFront&);

}  // namespace dpdtree
