#include "plan/plan.hpp"

#include <vector>

namespace dpdtree {

// Greedy trees may be as deep as there are rows: no recursion.
PlanNode::~PlanNode() {
  std::vector<Plan> open;
  const auto take = [&](const PlanNode& node) {
    if (node.left) open.push_back(std::move(node.left));
    if (node.right) open.push_back(std::move(node.right));
  };
  take(*this);
  while (!open.empty()) {
    const Plan node = std::move(open.back());
    open.pop_back();
    if (node.use_count() == 1) take(*node);
  }
}

}  // namespace dpdtree
