#include "boosting/full.hpp"

#include <algorithm>

namespace dpdtree::boosting {

GrownTree FullSearch::grow(Child root) {
  const std::unique_ptr<Plan> plan = solve(root);
  bench_->store().give_back(root.histogram);
  GrownTree tree;
  add(tree, plan.get(), root.context, root.rows);
  return tree;
}

// Same stretch of the next depth's space.
RowSet FullSearch::room_below(const Child& node) const {
  const std::size_t depth = node.context.depth;
  const auto begin = static_cast<std::size_t>(node.rows.rows - levels_[depth].rows);
  return levels_[depth + 1].part(begin, begin + node.rows.size);
}

// The splits of a greedy tree grown at this node, its own best split first.
std::vector<SplitRule> FullSearch::candidates(const Child& node) {
  const auto& wanted = bench_->finder().params().n_candidates;
  const std::size_t depth = node.context.depth;
  const u32 n = depth < wanted.size() ? std::max(1u, wanted[depth]) : 1;
  std::vector<SplitRule> rules{node.best.rule};
  if (n == 1) return rules;
  const RowSet spaces[] = {node.rows, scratch_[0].part(0, node.rows.size),
                           scratch_[1].part(0, node.rows.size)};
  const GrownTree tree = LeafwiseGrower(*bench_, spaces, {n + 1, true, 2}).grow(node);
  for (const GrownNode& g : tree)
    if (!g.is_leaf() &&
        std::find(rules.begin(), rules.end(), g.split.rule) == rules.end())
      rules.push_back(g.split.rule);
  return rules;
}

std::unique_ptr<FullSearch::Plan> FullSearch::solve(const Child& node) {
  auto best = std::make_unique<Plan>();
  if (!node.best.valid) return best;
  const u32 levels_left = bench_->finder().params().max_depth - node.context.depth;
  if (levels_left == 1) {  // the greedy split is the best one
    *best = {node.best.gain, node.best.rule, nullptr, nullptr, true};
    return best;
  }
  for (const SplitRule& rule : candidates(node)) {
    std::unique_ptr<Plan> plan = try_split(node, rule);
    if (plan != nullptr && clearly_more(plan->gain, best->gain)) best = std::move(plan);
  }
  return best;
}

std::unique_ptr<FullSearch::Plan> FullSearch::try_split(const Child& node,
                                                        const SplitRule& rule) {
  const SplitFinder& finder = bench_->finder();
  const FoundSplit split =
      finder.judge(rule, finder.left_sum(rule, node.histogram), node.context);
  if (!split.valid) return nullptr;
  Expansion e = expand(*bench_, node.context, node.rows, node.histogram, split,
                       room_below(node), {true, true});
  auto plan = std::make_unique<Plan>();
  plan->splits = true;
  plan->rule = rule;
  plan->left = solve(e.left);
  plan->right = solve(e.right);
  plan->gain = split.gain + plan->left->gain + plan->right->gain;
  discard(*bench_, e);
  return plan;
}

// Carries the plan out on the rows: parents before children.
u32 FullSearch::add(GrownTree& tree, const Plan* plan, const NodeContext& node,
                    const RowSet& rows) {
  const auto index = static_cast<u32>(tree.size());
  tree.push_back({node, rows, {}, 0, 0});
  if (plan == nullptr || !plan->splits) return index;
  const SplitFinder& finder = bench_->finder();
  const RowSet out = room_below({node, rows, nullptr, {}});
  const std::size_t n_left = bench_->divide(rows, plan->rule, out);
  const Bin left = bench_->sum(out.part(0, n_left));
  const FoundSplit split = finder.judge(plan->rule, left, node);
  tree[index].split = split;
  const u32 l =
      add(tree, plan->left.get(), finder.child(node, split, true), out.part(0, n_left));
  const u32 r = add(tree, plan->right.get(), finder.child(node, split, false),
                    out.part(n_left, out.size));
  tree[index].left = l;
  tree[index].right = r;
  return index;
}

}  // namespace dpdtree::boosting
