// The best split of a node, block by block of its histogram.
#pragma once

#include "hist/block_scans.hpp"
#include "hist/leaf_cost.hpp"
#include "hist/node.hpp"
#include "hist/params.hpp"

namespace dpdtree::boosting {

class SplitFinder {
 public:
  SplitFinder(const BinnedData& data, const Params& params, const Units& units);

  // Without what `complete` adds to the best of all blocks: the sum of its left side,
  // and where missing values go that nobody has seen here. `reached`: the best score of
  // other blocks of this node, which is raised to that of this one; splits that stay
  // below it are not looked for.
  FoundSplit best_of_block(const Block& block, const Bin* histogram,
                           const NodeContext& node, double& reached) const;
  void complete(FoundSplit& split, const Bin* histogram, const NodeContext& node) const;

  // A split found elsewhere, judged at this node by the sum of its left side; invalid
  // if a side breaks a limit. Its gain may be negative.
  FoundSplit judge(const BinnedSplit& rule, const GradientSum& left,
                   const NodeContext& node) const;
  GradientSum left_sum(const BinnedSplit& rule, const Bin* histogram) const;

  // Larger gain first, then the smaller feature.
  static bool better(const FoundSplit& a, const FoundSplit& b);

  NodeContext root(const GradientSum& total, u64 key) const;
  NodeContext child(const NodeContext& parent, const FoundSplit& split,
                    bool left) const;

  const LeafCost& cost() const { return cost_; }
  const Units& units() const { return units_; }
  const Params& params() const { return *params_; }
  bool monotonic() const { return monotonic_; }
  // False if the node cannot be split, whatever its histogram.
  bool may_be_split(const NodeContext& node) const;

 private:
  class Best;

  bool allowed(const NodeContext& node, u32 feature) const {
    return node.allowed.empty() || node.allowed[feature] != 0;
  }
  int direction(u32 feature) const {
    return monotonic_ ? params_->monotonic_cst[feature] : 0;
  }
  bool within_limits(const GradientSum& left, const GradientSum& right) const;
  double score(const GradientSum& left, const GradientSum& right,
               const NodeContext& node, u32 feature) const;
  double node_score(const NodeContext& node) const;
  void scan_four(const Block& block, const Bin* histogram, u32 first, Best& best) const;
  HistogramColumn column_of(u32 feature, const Bin* histogram) const;
  void choose_features(NodeContext& node) const;

  const BinnedData* data_;
  const Params* params_;
  Units units_;
  LeafCost cost_;
  i64 min_count_;
  bool monotonic_;
  // No monotonic constraint, no l1, packed cells: four columns at once.
  bool plain_;
};

}  // namespace dpdtree::boosting
