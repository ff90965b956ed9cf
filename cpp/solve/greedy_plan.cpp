#include "generator/greedy.hpp"
#include "solve/hull.hpp"
#include "solve/leaf_front.hpp"
#include "solve/one_alpha.hpp"
#include "solve/solver.hpp"

namespace dpdtree {

template <class Kind>
typename Kind::Front prune_greedy(SearchContext& context, const GreedyGrower& grower,
                                  const Kind& kind) {
  const auto& nodes = grower.nodes();
  std::vector<typename Kind::Front> fronts(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children come after their parents
    const GreedyNode& node = nodes[i];
    fronts[i] = kind.leaf(node.view);
    if (node.left < 0) continue;
    const auto left = static_cast<std::size_t>(node.left);
    kind.keep_better(fronts[i], node.best.split,
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

template OneAlpha::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                      const OneAlpha&);
template Hull::Front prune_greedy(SearchContext&, const GreedyGrower&, const Hull&);
template LeafFront::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                       const LeafFront&);

}  // namespace dpdtree
