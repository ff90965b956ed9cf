// Trees of limited depth by dynamic programming: at every node some candidate splits
// (those of a greedy tree grown there) are tried, each with the best subtrees found
// below it in the same way.
#pragma once

#include <memory>

#include "boost/leafwise.hpp"

namespace dpdtree::boosting {

class FullSearch {
 public:
  // `levels`: room for all rows, one per depth 0 … max_depth; the first holds the
  // root's. `scratch`: two more.
  FullSearch(NodeEvaluator& evaluator, std::span<const RowSet> levels,
             std::span<const RowSet> scratch)
      : evaluator_(&evaluator), levels_(levels), scratch_(scratch) {}

  GrownTree grow(const Child& root);

 private:
  struct Plan {
    double gain = 0;
    BinnedSplit rule;
    GradientSum left_sum;
    std::unique_ptr<Plan> left;  // null: a leaf
    std::unique_ptr<Plan> right;
    bool splits = false;
  };
  using PlanPtr = std::unique_ptr<Plan>;

  PlanPtr solve(const Child& node);
  void solve_two_levels(const Child& node, PlanPtr& best);
  std::pair<FoundSplit, FoundSplit> try_split(const Child& node,
                                              const BinnedSplit& rule, PlanPtr& best);
  static PlanPtr greedy_plan(const FoundSplit& split);
  std::vector<BinnedSplit> candidates(const Child& node);
  u32 n_candidates(const Child& node) const;
  RowSet room_below(const Child& node) const;
  u32 add(GrownTree& tree, const Plan* plan, const NodeContext& node,
          const RowSet& rows);

  NodeEvaluator* evaluator_;
  std::span<const RowSet> levels_;
  std::span<const RowSet> scratch_;
};

}  // namespace dpdtree::boosting
