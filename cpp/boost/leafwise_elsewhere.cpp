// Leaf-wise trees from rows that are elsewhere. A round costs more than a histogram, so
// every node that may still be split is, as soon as its own histogram is there.
#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

#include "boost/leafwise.hpp"

namespace dpdtree::boosting {

Expansion LeafwiseGrower::split_elsewhere(const Open& open) {
  std::shared_ptr<Expansion>& ahead = ahead_[open.node];
  if (last_split()) {
    // The children need not be searched, and nobody compares for their sake.
    if (ahead) discard(*evaluator_, *ahead);
    ahead = nullptr;
    return expand(*evaluator_, job_of(open, false));
  }
  if (!ahead) {
    std::vector<Waiting> nodes = waiting();
    nodes.push_back(waiting_node(open, nullptr));
    std::vector<ExpandJob> jobs;
    for (const Waiting& w : nodes) jobs.push_back(w.job());
    keep(nodes, expand(*evaluator_, jobs));
    std::erase_if(nodes, [](const Waiting& w) { return !w.compare; });
    if (!nodes.empty()) compare_all(nodes);
  }
  const std::shared_ptr<Expansion> taken = std::move(ahead);
  ahead = nullptr;
  return std::move(*taken);
}

void LeafwiseGrower::keep(const std::vector<Waiting>& nodes,
                          std::vector<Expansion> found) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    *nodes[i].to = std::make_shared<Expansion>(std::move(found[i]));
    (*nodes[i].to)->settled = !nodes[i].compare;
  }
}

LeafwiseGrower::Waiting LeafwiseGrower::waiting_node(const Open& open, Bin** held) {
  const GrownNode& node = tree_[open.node];
  const bool compare = comparing(node.context);
  const bool kept = compare || (options_.keep_root && open.node == 0);
  return {&node.context,      node.rows, open.payload, held,   node.split,
          &ahead_[open.node], open.gain, kept,         compare};
}

// Below a node that was split ahead, nodes wait, too; but not for a split that may
// still be exchanged.
void LeafwiseGrower::add_below(Expansion& e, double rank, std::vector<Waiting>& found,
                               std::vector<double>& ranks) {
  if (!e.settled) return;
  for (Child* child : {&e.left, &e.right}) {
    if (!child->best.valid) continue;
    // It comes after the nodes above it.
    const double own = std::min(rank, child->best.gain);
    ranks.push_back(own);
    if (child->ahead) {
      add_below(*child->ahead, own, found, ranks);
      continue;
    }
    const bool compare = comparing(child->context);
    found.push_back({&child->context, child->rows, child->histogram, &child->histogram,
                     child->best, &child->ahead, own, compare, compare});
  }
}

// Those that can still be among the splits of the tree: the others have too many larger
// gains before them. The last split need not search its children.
std::vector<LeafwiseGrower::Waiting> LeafwiseGrower::waiting() {
  std::vector<Waiting> found;
  if (few_splits_left()) return found;
  std::vector<double> ranks;
  for (Open& o : open_.rest()) {
    ranks.push_back(o.gain);
    if (ahead_[o.node])
      add_below(*ahead_[o.node], o.gain, found, ranks);
    else
      found.push_back(waiting_node(o, &o.payload));
  }
  double least = -std::numeric_limits<double>::infinity();
  const std::size_t most = options_.max_leaves - n_leaves_ - 2;
  if (options_.max_leaves > 0 && ranks.size() > most) {
    std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(most),
                     ranks.end(), std::greater<>{});
    least = ranks[most];
  }
  std::erase_if(found, [&](const Waiting& w) { return !(w.rank > least); });
  for (const Waiting& w : found)
    if (!w.kept) *w.held = nullptr;  // its children will have it
  return found;
}

// As `strongest` does, for all of these nodes. Others use the round as well.
void LeafwiseGrower::compare_all(const std::vector<Waiting>& nodes) {
  std::vector<ExpandJob> jobs;
  std::vector<const Waiting*> node_of;
  for (const Waiting& w : nodes)
    for (const FoundSplit& above : moved_up(*w.node, w.split, w.histogram, **w.to)) {
      jobs.push_back({w.node, w.rows, w.histogram, above, w.rows, {true, true}});
      node_of.push_back(&w);
    }
  std::vector<Waiting> others;
  if (!jobs.empty()) others = waiting();
  std::erase_if(others, [](const Waiting& w) { return w.compare; });
  for (const Waiting& w : others) jobs.push_back(w.job());
  std::vector<Expansion> found = expand(*evaluator_, jobs);
  const auto n = static_cast<std::ptrdiff_t>(node_of.size());
  keep(others, {std::make_move_iterator(found.begin() + n),
                std::make_move_iterator(found.end())});
  for (std::size_t i = 0; i < node_of.size(); ++i) {
    Expansion& best = **node_of[i]->to;
    if (clearly_more(found[i].two_level_gain(), best.two_level_gain()))
      std::swap(best, found[i]);
    discard(*evaluator_, found[i]);
  }
  for (const Waiting& w : nodes) {
    (*w.to)->settled = true;
    evaluator_->store().give_back(w.histogram);
    if (w.held != nullptr) *w.held = nullptr;
  }
}

}  // namespace dpdtree::boosting
