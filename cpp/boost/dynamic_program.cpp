#include "boost/dynamic_program.hpp"

#include <algorithm>

namespace dpdtree::boosting {

GrownTree FullSearch::grow(const Child& root) {
  const PlanPtr plan = solve(root);
  evaluator_->store().give_back(root.histogram);
  GrownTree tree;
  add(tree, plan.get(), root.context, root.rows);
  return tree;
}

// Same stretch of the next depth's space.
RowSet FullSearch::room_below(const Child& node) const {
  if (evaluator_->elsewhere()) return node.rows;
  const std::size_t depth = node.context.depth;
  const auto begin = static_cast<std::size_t>(node.rows.rows - levels_[depth].rows);
  return levels_[depth + 1].part(begin, begin + node.rows.size);
}

u32 FullSearch::n_candidates(const Child& node) const {
  const auto& wanted = evaluator_->finder().params().n_candidates;
  const std::size_t depth = node.context.depth;
  return depth < wanted.size() ? std::max(1u, wanted[depth]) : 1;
}

// The splits of a greedy tree grown at this node, its own best split first.
std::vector<BinnedSplit> FullSearch::candidates(const Child& node) {
  const u32 n = n_candidates(node);
  std::vector<BinnedSplit> rules{node.best.rule};
  if (n == 1) return rules;
  std::vector<RowSet> spaces{node.rows};
  for (const RowSet& s : scratch_) spaces.push_back(s.part(0, node.rows.size));
  const GrownTree tree =
      LeafwiseGrower(*evaluator_, spaces, {n + 1, true, 2}).grow(node);
  for (const GrownNode& g : tree)
    if (!g.is_leaf() &&
        std::find(rules.begin(), rules.end(), g.split.rule) == rules.end())
      rules.push_back(g.split.rule);
  return rules;
}

FullSearch::PlanPtr FullSearch::greedy_plan(const FoundSplit& split) {
  auto plan = std::make_unique<Plan>();
  if (split.valid) *plan = {split.gain, split.rule, split.left, nullptr, nullptr, true};
  return plan;
}

FullSearch::PlanPtr FullSearch::solve(const Child& node) {
  const u32 levels_left = evaluator_->finder().params().max_depth - node.context.depth;
  // With one level left the greedy split is the best one.
  if (!node.best.valid || levels_left == 1) return greedy_plan(node.best);
  PlanPtr best = std::make_unique<Plan>();
  if (levels_left == 2) {
    solve_two_levels(node, best);
  } else {
    for (const BinnedSplit& rule : candidates(node)) try_split(node, rule, best);
  }
  return best;
}

// The greedy tree's splits are those that looking at the first one brings along.
void FullSearch::solve_two_levels(const Child& node, PlanPtr& best) {
  const auto [left, right] = try_split(node, node.best.rule, best);
  const u32 n = n_candidates(node);
  const bool left_first = !right.valid || (left.valid && left.gain >= right.gain);
  for (const FoundSplit* below : {&left, &right}) {
    if (!below->valid || below->rule == node.best.rule) continue;
    const bool first = (below == &left) == left_first;
    if (n > 2 || (n == 2 && first)) try_split(node, below->rule, best);
  }
}

// Keeps the best plan; returns the best splits of the two children.
std::pair<FoundSplit, FoundSplit> FullSearch::try_split(const Child& node,
                                                        const BinnedSplit& rule,
                                                        PlanPtr& best) {
  const SplitFinder& finder = evaluator_->finder();
  const FoundSplit split =
      finder.judge(rule, finder.left_sum(rule, node.histogram), node.context);
  if (!split.valid) return {};
  Expansion e = expand(*evaluator_, {&node.context,
                                     node.rows,
                                     node.histogram,
                                     split,
                                     room_below(node),
                                     {true, true}});
  auto plan = std::make_unique<Plan>();
  plan->splits = true;
  plan->rule = rule;
  plan->left_sum = split.left;
  plan->left = solve(e.left);
  plan->right = solve(e.right);
  plan->gain = split.gain + plan->left->gain + plan->right->gain;
  discard(*evaluator_, e);
  if (clearly_more(plan->gain, best->gain)) best = std::move(plan);
  return {e.left.best, e.right.best};
}

// Carries the plan out on the rows: parents before children.
u32 FullSearch::add(GrownTree& tree, const Plan* plan, const NodeContext& node,
                    const RowSet& rows) {
  const auto index = static_cast<u32>(tree.size());
  tree.push_back({node, rows, {}, 0, 0});
  if (plan == nullptr || !plan->splits) return index;
  const SplitFinder& finder = evaluator_->finder();
  const FoundSplit split = finder.judge(plan->rule, plan->left_sum, node);
  tree[index].split = split;
  RowSet left, right;  // elsewhere: of no size
  if (!evaluator_->elsewhere()) {
    const RowSet out = room_below({node, rows, nullptr, {}});
    const std::size_t n_left = evaluator_->divide(rows, plan->rule, out);
    left = out.part(0, n_left);
    right = out.part(n_left, out.size);
  }
  const u32 l = add(tree, plan->left.get(), finder.child(node, split, true), left);
  const u32 r = add(tree, plan->right.get(), finder.child(node, split, false), right);
  tree[index].left = l;
  tree[index].right = r;
  return index;
}

}  // namespace dpdtree::boosting
