#include "plan/plan_tree.hpp"

#include <utility>

namespace dpdtree {

// Greedy trees may be as deep as there are rows: no recursion.
PlanTree::~PlanTree() {
  std::vector<PlanPtr> open;
  const auto take = [&](const PlanTree& tree) {
    if (tree.left) open.push_back(std::move(tree.left));
    if (tree.right) open.push_back(std::move(tree.right));
  };
  take(*this);
  while (!open.empty()) {
    const PlanPtr tree = std::move(open.back());
    open.pop_back();
    if (tree.use_count() == 1) take(*tree);
  }
}

Plan flatten(const PlanPtr& plan) {
  struct Open {
    const PlanTree* tree;
    i64 parent;  // place of the parent whose right child this is, or -1
  };
  Plan out;
  std::vector<Open> stack{{plan.get(), -1}};
  while (!stack.empty()) {
    const Open open = stack.back();
    stack.pop_back();
    const auto here = static_cast<u32>(out.size());
    if (open.parent >= 0)
      out[static_cast<std::size_t>(open.parent)].right =
          here - static_cast<u32>(open.parent);
    out.emplace_back();
    if (open.tree == nullptr) continue;
    out.back().split = open.tree->split;
    stack.push_back({open.tree->right.get(), here});
    stack.push_back({open.tree->left.get(), -1});
  }
  return out;
}

}  // namespace dpdtree
