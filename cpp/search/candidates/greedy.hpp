// CART: grows a greedy tree on a set of rows, best-first when the number of splits is
// limited, depth-first otherwise.
#pragma once

#include <array>
#include <deque>
#include <limits>
#include <vector>

#include "plan/plan.hpp"
#include "plan/search_context.hpp"

namespace dpdtree {

// What is known of prunings before a tree is grown: nodes that all of them would make
// leaves of need not be split. `levels`: how many may be below.
class GreedyPrunings {
 public:
  virtual ~GreedyPrunings() = default;
  virtual bool keeps_leaf(const NodeView& node, u32 levels) const = 0;
  // The same once its split is known.
  virtual bool keeps_leaf(SearchContext& context, const NodeView& node,
                          const Split& split, const Children& children,
                          u32 levels) const = 0;
};

struct GreedyLimits {
  u32 max_depth = std::numeric_limits<u32>::max();
  u32 max_splits = std::numeric_limits<u32>::max();
  bool is_the_fit = false;  // its progress is that of the fit
  // What the tree is for, if it is grown depth first; null: all of it is wanted.
  const GreedyPrunings* prunings = nullptr;
};

struct GreedyNode {
  NodeView view;
  u32 depth = 0;
  i32 left = -1;  // the right child follows the left one
  bool searched = false;
  FoundSplit best;      // valid once searched
  double priority = 0;  // decrease of impurity, or a bound of it until searched
  FeatureList features;
  const PlanNode* forced = nullptr;  // what has to be split here and below
};

// What the constraints of the root leave to the nodes below it: what follows from the
// splits above them, or all the same, if every split found is one to try at the root.
enum class Below : u8 { inherit, same };

class GreedyGrower {
 public:
  explicit GreedyGrower(SearchContext& context,
                        SearchTarget aim = SearchTarget::criterion,
                        Below below = Below::inherit)
      : c_(context), aim_(aim), below_(below) {}

  // Splits that the next tree begins with, whatever they decrease; settled.
  void force(const Plan& plan) { forced_ = plan; }

  // nodes()[0] is the root. `root_split` may hand over a search already done.
  // Children come after their parents; splits are settled (see split_node).
  void grow(const NodeView& root, const FeatureList& features,
            const GreedyLimits& limits, const FoundSplit* root_split = nullptr);

  const std::vector<GreedyNode>& nodes() const { return nodes_; }
  // Nodes that were split, in the order in which they were.
  const std::vector<u32>& split_order() const { return split_order_; }

 private:
  void grow_best_first(const GreedyLimits& limits);
  void grow_depth_first(const GreedyLimits& limits);
  bool search(GreedyNode& node);
  bool expandable(const GreedyNode& node, const GreedyLimits& limits) const;
  void expand(u32 index);
  bool stays_leaf(const GreedyNode& node, const GreedyLimits& limits) const;
  bool taken_back(u32 index, const GreedyLimits& limits);
  void add_node(const NodeView& view, u32 depth, const FeatureList& features,
                const PlanNode* forced);

  SearchContext& c_;
  SearchTarget aim_;
  Below below_;
  Plan forced_;
  RowBuffer rows_;  // those below the root, each a segment; divided in place
  std::vector<GreedyNode> nodes_;
  std::vector<u32> split_order_;
  struct Made {
    std::vector<double> stats;
    std::array<NodePath, 2> paths;
  };
  std::deque<Made> children_;  // of each split; stable addresses
};

}  // namespace dpdtree
