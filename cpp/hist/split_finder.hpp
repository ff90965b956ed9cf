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

  FoundSplit best_of_block(const Block& block, const Bin* histogram,
                           const NodeContext& node) const;

  // A split found elsewhere, judged at this node by the sum of its left side; invalid
  // if a side breaks a limit. Its gain may be negative.
  FoundSplit judge(const BinnedSplit& rule, const Bin& left,
                   const NodeContext& node) const;
  Bin left_sum(const BinnedSplit& rule, const Bin* histogram) const;

  // Larger gain first, then the smaller feature.
  static bool better(const FoundSplit& a, const FoundSplit& b);

  NodeContext root(const Bin& total, u64 key) const;
  NodeContext child(const NodeContext& parent, const FoundSplit& split,
                    bool left) const;

  const LeafCost& cost() const { return cost_; }
  const Units& units() const { return units_; }
  const Params& params() const { return *params_; }
  bool monotonic() const { return monotonic_; }
  i64 count_of(const Bin& b) const { return units_.count_of(b); }
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
  bool within_limits(const Bin& left, const Bin& right) const;
  double score(const Bin& left, const Bin& right, const NodeContext& node,
               u32 feature) const;
  double node_score(const NodeContext& node) const;
  void scan_four(const Block& block, const Bin* bins, u32 first, Best& best) const;
  void complete(FoundSplit& split, const Bin* histogram, const NodeContext& node) const;
  HistogramColumn column_of(u32 feature, const Bin* histogram) const;
  void choose_features(NodeContext& node) const;

  const BinnedData* data_;
  const Params* params_;
  Units units_;
  LeafCost cost_;
  i64 min_count_;
  bool monotonic_;
  bool plain_;  // no monotonic constraint, no l1: four columns at once
};

}  // namespace dpdtree::boosting
