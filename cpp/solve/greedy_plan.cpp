#include "generator/greedy.hpp"
#include "solve/solver.hpp"

namespace dpdtree {

Solution plan_of_greedy(const GreedyGrower& grower, const Cost& cost, bool cut_back,
                        const ValueOrder& order) {
  const auto& nodes = grower.nodes();
  std::vector<Value> value(nodes.size());
  std::vector<char> split(nodes.size(), 0);
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children come after their parents
    const GreedyNode& node = nodes[i];
    value[i] = cost.leaf(node.view.stats);
    if (node.left < 0) continue;
    const auto left = static_cast<std::size_t>(node.left);
    const Value both =
        combine(cost.penalty(node.view.weight), value[left], value[left + 1]);
    split[i] = !cut_back || order.compare(both, value[i]) < 0;
    if (split[i]) value[i] = both;
  }

  // An explicit stack: greedy trees may be as deep as there are rows.
  struct Open {
    u32 node;
    i64 parent;  // plan index of the parent whose right child this is, or -1
  };
  Solution out;
  out.value = value[0];
  out.plan.clear();
  std::vector<Open> stack{{0, -1}};
  while (!stack.empty()) {
    const Open open = stack.back();
    stack.pop_back();
    const auto here = static_cast<u32>(out.plan.size());
    if (open.parent >= 0) {
      PlanNode& parent = out.plan[static_cast<std::size_t>(open.parent)];
      parent.right = here - static_cast<u32>(open.parent);
    }
    out.plan.emplace_back();
    if (!split[open.node]) continue;
    out.plan.back().split = nodes[open.node].best.split;
    const auto left = static_cast<u32>(nodes[open.node].left);
    stack.push_back({left + 1, here});
    stack.push_back({left, -1});
  }
  return out;
}

}  // namespace dpdtree
