#include "search/greedy_tree.hpp"

#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {

GreedyGrower grow_greedy(const Search& s, const Plan& forced) {
  return grow_greedy_from(s, s.root, forced);
}

GreedyGrower grow_greedy_from(const Search& s, NodeView root, const Plan& forced,
                              const GreedyPrunings* prunings) {
  GreedyLimits limits;
  limits.prunings = prunings;
  limits.max_depth = s.max_depth();
  if (s.limits_leaves()) limits.max_splits = static_cast<u32>(s.max_leaves() - 1);
  limits.is_the_fit = true;
  GreedyGrower grower(s.context());
  root.constraints = made_strict(s.root.constraints);
  grower.force(forced);
  grower.grow(root, s.features, limits);
  return grower;
}

bool PricedPrunings::keeps_leaf(const NodeView& node, u32 levels) const {
  return cost_.least_after_split(node, levels) >= cost_.leaf_loss(node);
}

// To count the values of the split's feature takes time: first as if all rows had
// values of their own.
bool PricedPrunings::keeps_leaf(SearchContext& context, const NodeView& node,
                                const Split& split, const Children& children,
                                u32 levels) const {
  const double gain = cost_.leaf_loss(node) - cost_.least(children.left, levels - 1) -
                      cost_.least(children.right, levels - 1);
  if (!split.categories && cost_.price(node.weight, log_thresholds(node.n())) < gain)
    return false;
  return cost_.price(context, node, split) >= gain;
}

Plan plan_of_greedy(const GreedyGrower& grower) {
  const auto& nodes = grower.nodes();
  std::vector<Plan> plans(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].left < 0) continue;
    const auto left = static_cast<std::size_t>(nodes[i].left);
    plans[i] = join(nodes[i].best.split, plans[left], plans[left + 1]);
    plans[left] = plans[left + 1] = nullptr;
  }
  return plans[0];
}

template <class V>
typename V::Front prune_greedy(SearchContext& context, const GreedyGrower& grower,
                               const V& value) {
  const auto& nodes = grower.nodes();
  std::vector<typename V::Front> fronts(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children come after their parents
    const GreedyNode& node = nodes[i];
    fronts[i] = value.leaf(node.view);
    if (node.left < 0) continue;
    const auto left = static_cast<std::size_t>(node.left);
    const auto price = value.price(context, node.view, node.best.split);
    if (node.forced != nullptr)
      fronts[i] = value.only(node.best.split, price, fronts[left], fronts[left + 1]);
    else
      value.backup(fronts[i], node.best.split, price, fronts[left], fronts[left + 1]);
    fronts[left] = {};
    fronts[left + 1] = {};
  }
  return std::move(fronts[0]);
}

template ScalarValue::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                         const ScalarValue&);
template AlphaHull::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                       const AlphaHull&);
template LeafBudgetFront::Front prune_greedy(SearchContext&, const GreedyGrower&,
                                             const LeafBudgetFront&);

}  // namespace dpdtree
