// A split carried out: the rows divided, both children searched.
#pragma once

#include "base/tolerance.hpp"
#include "hist/node_evaluator.hpp"

namespace dpdtree::boosting {

struct Expansion;

struct Child {
  NodeContext context;
  RowSet rows;
  Bin* histogram = nullptr;  // null if nobody will need it
  FoundSplit best;
  std::shared_ptr<Expansion> ahead = nullptr;  // its best split, if carried out already
};

struct Expansion {
  FoundSplit split;
  Child left;
  Child right;
  bool settled = true;  // false: may be exchanged for another split

  // What this split and the best of its children gain together.
  double two_level_gain() const {
    return split.gain + (left.best.valid ? left.best.gain : 0.0) +
           (right.best.valid ? right.best.gain : 0.0);
  }
};

// Totals that differ by less than this are equal but for rounding (the same cells are
// often reached in two ways), and then the first one stays.
inline bool clearly_more(double gain, double than) {
  return gain > than * (1 + kGainNoise);
}

struct ExpandOptions {
  bool search_children = true;
  bool keep_histogram = false;  // the parent's; otherwise a child takes it over
};

// A node to expand, and where to: `out` has room for its rows. `histogram` (the node's,
// or null) goes back to the store unless kept.
struct ExpandJob {
  const NodeContext* node = nullptr;
  RowSet rows;
  Bin* histogram = nullptr;
  FoundSplit split;
  RowSet out;
  ExpandOptions options;
};

// A child that cannot be split further comes without a histogram.
Expansion expand(NodeEvaluator& evaluator, const ExpandJob& job);

// Nodes that have nothing to do with each other, at the same time.
std::vector<Expansion> expand(NodeEvaluator& evaluator,
                              std::span<const ExpandJob> jobs);

// The same for rows that are already divided, without the parent's histogram.
Expansion expand_divided(NodeEvaluator& evaluator, const NodeContext& node,
                         const FoundSplit& split, const RowSet& divided,
                         std::size_t n_left);

// Gives the histograms of all nodes below back.
void discard(NodeEvaluator& evaluator, Expansion& expansion);

}  // namespace dpdtree::boosting
