#include "search/candidates/greedy.hpp"

#include "loss/criterion.hpp"
#include "search/frontier.hpp"

namespace dpdtree {

void GreedyGrower::add_node(const NodeView& view, u32 depth,
                            const FeatureList& features, const PlanNode* forced) {
  GreedyNode node;
  node.view = view;
  node.depth = depth;
  node.features = features;
  // No split can take away more impurity than there is.
  node.priority = impurity_sum(c_.finders.criterion(aim_), c_.problem.targets,
                               view.rows, view.stats);
  if (forced != nullptr) {
    node.forced = forced;
    node.best = {true, forced->split};
    node.searched = true;
    node.priority = std::numeric_limits<double>::infinity();
  }
  nodes_.push_back(std::move(node));
}

void GreedyGrower::grow(const NodeView& root, const FeatureList& features,
                        const GreedyLimits& limits, const FoundSplit* root_split) {
  nodes_.clear();
  split_order_.clear();
  children_.clear();
  rows_.resize(root.rows.size());
  add_node(root, 0, features, forced_.get());
  if (root_split != nullptr) {
    nodes_[0].best = *root_split;
    nodes_[0].searched = true;
    nodes_[0].priority = root_split->decrease;
  }
  const bool all = limits.max_splits == std::numeric_limits<u32>::max();
  if (limits.is_the_fit)
    c_.stop.stage.begin("growing the tree", all ? root.n() : limits.max_splits);
  all ? grow_depth_first(limits) : grow_best_first(limits);
}

bool GreedyGrower::expandable(const GreedyNode& node,
                              const GreedyLimits& limits) const {
  return node.depth < limits.max_depth && node.view.n() >= c_.limits.min_samples_split;
}

bool GreedyGrower::stays_leaf(const GreedyNode& node,
                              const GreedyLimits& limits) const {
  return limits.prunings != nullptr && node.forced == nullptr &&
         limits.prunings->keeps_leaf(node.view, limits.max_depth - node.depth);
}

// True if all prunings make a leaf of the node that was split last; it is one again.
bool GreedyGrower::taken_back(u32 index, const GreedyLimits& limits) {
  GreedyNode& node = nodes_[index];
  if (limits.prunings == nullptr || node.forced != nullptr) return false;
  const auto left = static_cast<std::size_t>(node.left);
  if (!limits.prunings->keeps_leaf(c_, node.view, node.best.split,
                                   {nodes_[left].view, nodes_[left + 1].view},
                                   limits.max_depth - node.depth))
    return false;
  node.left = -1;
  nodes_.resize(left);
  split_order_.pop_back();
  children_.pop_back();
  return true;
}

// True if a split was found.
bool GreedyGrower::search(GreedyNode& node) {
  if (!node.searched) {
    node.best = c_.find(node.view, node.features, false, aim_);
    node.searched = true;
    node.priority = node.best.decrease;
  }
  return node.best.found;
}

void GreedyGrower::expand(u32 index) {
  GreedyNode& node = nodes_[index];
  const u32 depth = node.depth + 1;
  const FeatureList features = node.features;
  const PlanNode* forced = node.forced;
  Made& made = children_.emplace_back();
  made.stats.resize(2 * node.view.stats.size());
  Row* first = rows_.data();
  if (index > 0) first += node.view.rows.data() - first;
  Children children = c_.data.divide(c_, node.view, node.best.split,
                                     {first, made.stats.data(), made.paths.data()});
  if (below_ == Below::same)
    children.left.constraints = children.right.constraints = node.view.constraints;
  node.left = static_cast<i32>(nodes_.size());
  split_order_.push_back(index);
  add_node(children.left, depth, features, forced ? forced->left.get() : nullptr);
  add_node(children.right, depth, features, forced ? forced->right.get() : nullptr);
}

void GreedyGrower::grow_depth_first(const GreedyLimits& limits) {
  std::vector<u32> open{0};
  while (!open.empty()) {
    const u32 index = open.back();
    open.pop_back();
    if (!expandable(nodes_[index], limits) || stays_leaf(nodes_[index], limits) ||
        !search(nodes_[index])) {
      if (limits.is_the_fit) c_.stop.stage.add(nodes_[index].view.n());
      continue;
    }
    expand(index);
    if (taken_back(index, limits)) {
      if (limits.is_the_fit) c_.stop.stage.add(nodes_[index].view.n());
      continue;
    }
    const auto left = static_cast<u32>(nodes_[index].left);
    open.push_back(left + 1);
    open.push_back(left);
  }
}

// Lazy: a node waits under a bound of its decrease and is searched only when that bound
// is the largest of all, so nodes that can no longer be chosen are never searched.
void GreedyGrower::grow_best_first(const GreedyLimits& limits) {
  Frontier<> open;
  const auto add = [&](u32 index) {
    const GreedyNode& node = nodes_[index];
    if (expandable(node, limits)) open.push({node.priority, index, !node.searched});
  };
  add(0);
  while (!open.empty() && split_order_.size() < limits.max_splits) {
    const u32 index = open.pop().node;
    GreedyNode& node = nodes_[index];
    if (!node.searched) {
      if (search(node)) add(index);
      continue;
    }
    if (!node.best.found) continue;
    expand(index);
    if (limits.is_the_fit) c_.stop.stage.add();
    const auto left = static_cast<u32>(nodes_[index].left);
    add(left);
    add(left + 1);
  }
}

}  // namespace dpdtree
