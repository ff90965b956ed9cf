// A tree from the histograms of rows that are elsewhere; the same tree as from rows in
// memory (tree_grower.hpp).
#pragma once

#include <optional>

#include "boost/remote_rows.hpp"
#include "boost/tree_grower.hpp"

namespace dpdtree::boosting {

// Nodes by their paths; what a batch of nodes needs comes in one round.
class RemoteEvaluator final : public NodeEvaluator {
 public:
  // `layout`: the bins of the features, without rows. With windows, sampled roots come
  // first.
  RemoteEvaluator(const BinnedData& layout, HistogramStore& store, ThreadPool& pool,
                  StopToken& stop, const RemoteRows& rows, u32 output, u32 n_windows)
      : NodeEvaluator(layout, store, pool, stop),
        rows_(&rows),
        output_(output),
        n_windows_(n_windows) {}

  void begin(const Params& params, const Units& units, bool sampled) {
    NodeEvaluator::begin(params, units);
    sampled_ = sampled;
  }
  bool elsewhere() const override { return true; }
  void fetch(std::span<const FamilySearch> families) override;
  // Of the root; its histogram comes along.
  GradientSum sum(const RowSet& rows) override;

 private:
  void fill(const Block&, const NodeSearch&) const override {}
  std::vector<Bin>& root() { return roots_[sampled_ ? 1 : 0]; }

  const RemoteRows* rows_;
  u32 output_;
  u32 n_windows_;
  bool sampled_ = false;
  std::vector<Bin>
      roots_[2];  // of all rows and of the sampled ones, once they are here
};

class RemoteGrower {
 public:
  // A tree has so many rows at most, and a share `subsample` of them on average.
  RemoteGrower(const BinnedData& layout, const Params& params, std::size_t n_rows);

  // `number`: of the iteration; `key`: for random draws. Throws Stopped.
  GrownTree grow(const RemoteRows& rows, u32 output, const Units& units, u64 key,
                 ThreadPool& pool, StopToken& stop);

  bool wide() const { return wide_; }
  const SplitFinder& finder() const { return evaluator_->finder(); }

 private:
  GrownTree grow_leafwise(u64 key, const std::optional<BinnedSplit>& root_rule);
  GrownTree grow_full(u64 key);
  Child whole(NodeContext context);

  const BinnedData* layout_;
  const Params* params_;
  Lookahead lookahead_;
  u32 n_windows_ = 0;
  Params sample_params_;
  bool wide_;
  HistogramStore store_;
  std::optional<RemoteEvaluator> evaluator_;
};

}  // namespace dpdtree::boosting
