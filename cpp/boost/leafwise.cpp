#include "boost/leafwise.hpp"

#include <functional>

namespace dpdtree::boosting {

GrownTree LeafwiseGrower::grow(Child root) {
  if (!root.best.valid && !options_.keep_root)
    evaluator_->store().give_back(root.histogram);
  add(root);
  return grow_open();
}

GrownTree LeafwiseGrower::grow_from(const NodeContext& root, Expansion first) {
  tree_.push_back({root, {}, {}, 0, 0});
  ahead_.push_back(nullptr);
  carry_out(0, first);
  return grow_open();
}

GrownTree LeafwiseGrower::grow_open() {
  while (!open_.empty() &&
         (options_.max_leaves == 0 || n_leaves_ < options_.max_leaves)) {
    const Open open = open_.pop();
    Expansion e = split_node(open);
    carry_out(open.node, e);
  }
  for (const Open& o : open_.rest())
    if (!(options_.keep_root && o.node == 0)) evaluator_->store().give_back(o.payload);
  for (const auto& e : ahead_)
    if (e) discard(*evaluator_, *e);
  return std::move(tree_);
}

u32 LeafwiseGrower::add(Child& child) {
  const auto node = static_cast<u32>(tree_.size());
  tree_.push_back({child.context, child.rows, child.best, 0, 0});
  ahead_.push_back(std::move(child.ahead));
  if (child.best.valid) {
    const bool give_up =
        evaluator_->store().crowded() && node > 0 && !evaluator_->elsewhere();
    if (give_up) evaluator_->store().give_back(child.histogram);
    open_.push({child.best.gain, node, false, give_up ? nullptr : child.histogram});
  }
  return node;
}

void LeafwiseGrower::carry_out(u32 node, Expansion& e) {
  tree_[node].split = e.split;
  const u32 left = add(e.left);
  const u32 right = add(e.right);
  tree_[node].left = left;
  tree_[node].right = right;
  ++n_leaves_;
}

Expansion LeafwiseGrower::split_node(const Open& open) {
  if (evaluator_->elsewhere()) return split_elsewhere(open);
  if (const auto ahead = std::move(ahead_[open.node])) return std::move(*ahead);
  if (comparing(tree_[open.node].context) && open.payload != nullptr && !last_split())
    return strongest(open);
  if (few_splits_left()) return expand(*evaluator_, job_of(open, !last_split()));
  return split_with_next(open);
}

ExpandJob LeafwiseGrower::job_of(const Open& open, bool search_children) const {
  const GrownNode& node = tree_[open.node];
  const bool keep = options_.keep_root && open.node == 0;
  return {&node.context,
          node.rows,
          open.payload,
          node.split,
          room_for(node.rows, nullptr),
          {search_children, keep}};
}

Expansion LeafwiseGrower::split_with_next(const Open& open) {
  std::vector<ExpandJob> jobs{job_of(open, true)};
  const std::vector<Open*> next =
      open_.next(evaluator_->batch() - 1, [&](const Open& o) {
        return !ahead_[o.node] && !comparing(tree_[o.node].context);
      });
  for (const Open* o : next) jobs.push_back(job_of(*o, true));
  std::vector<Expansion> found = expand(*evaluator_, jobs);
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i]->payload = nullptr;  // its children have it
    ahead_[next[i]->node] = std::make_shared<Expansion>(std::move(found[i + 1]));
  }
  return std::move(found.front());
}

bool LeafwiseGrower::comparing(const NodeContext& node) const {
  const SplitFinder& finder = evaluator_->finder();
  if (finder.monotonic()) return false;
  // By their hessians, not by their number: a weight counts like repeated rows.
  return finder.units().hessian_of(node.total) >
         options_.strong_share * finder.units().hessian_of(tree_[0].context.total);
}

std::vector<FoundSplit> LeafwiseGrower::moved_up(const NodeContext& node,
                                                 const FoundSplit& greedy,
                                                 const Bin* histogram,
                                                 const Expansion& e) const {
  const SplitFinder& finder = evaluator_->finder();
  std::vector<FoundSplit> above;
  for (const FoundSplit* below : {&e.left.best, &e.right.best}) {
    if (!below->valid || below->rule == greedy.rule) continue;
    const GradientSum left = finder.left_sum(below->rule, histogram);
    const FoundSplit split = finder.judge(below->rule, left, node);
    if (split.valid) above.push_back(split);
  }
  return above;
}

// The greedy split against the best splits of its two children, moved up: whichever
// gains most over two levels is kept, with all its work.
Expansion LeafwiseGrower::strongest(const Open& open) {
  const GrownNode& node = tree_[open.node];
  const ExpandOptions options{true, true};
  Expansion best =
      expand(*evaluator_, {&node.context, node.rows, open.payload, node.split,
                           room_for(node.rows, nullptr), options});
  for (const FoundSplit& above :
       moved_up(node.context, node.split, open.payload, best)) {
    Expansion other =
        expand(*evaluator_, {&node.context, node.rows, open.payload, above,
                             room_for(node.rows, &best.left.rows), options});
    if (clearly_more(other.two_level_gain(), best.two_level_gain()))
      std::swap(best, other);
    discard(*evaluator_, other);
  }
  evaluator_->store().give_back(open.payload);
  return best;
}

// Nodes are never empty, so their first row tells. The end of a space does not belong
// to it: another one may begin there.
std::size_t LeafwiseGrower::space_of(const RowSet& rows) const {
  for (std::size_t s = 0; s < spaces_.size(); ++s) {
    const Row* first = spaces_[s].rows;
    const bool after = !std::less<const Row*>{}(rows.rows, first);
    if (after && std::less<const Row*>{}(rows.rows, first + spaces_[s].size)) return s;
  }
  return 0;
}

RowSet LeafwiseGrower::room_for(const RowSet& rows, const RowSet* taken) const {
  if (evaluator_->elsewhere()) return rows;
  const std::size_t own = space_of(rows);
  const std::size_t other = taken != nullptr ? space_of(*taken) : own;
  std::size_t space = own;
  do {
    space = (space + 1) % spaces_.size();
  } while (space == own || space == other || (space == 0 && options_.keep_root));
  const auto begin = static_cast<std::size_t>(rows.rows - spaces_[own].rows);
  return spaces_[space].part(begin, begin + rows.size);
}

}  // namespace dpdtree::boosting
