// One tree, in the way `lookahead` asks for.
#pragma once

#include <optional>

#include "boost/leafwise.hpp"
#include "boost/sampled_root.hpp"

namespace dpdtree::boosting {

// Of n rows, those a tree draws on average.
std::size_t share_of(std::size_t n_rows, const Params& params);
// "light" looks at few rows as "strong" does.
Lookahead for_so_many_rows(Lookahead wanted, std::size_t n_rows);
// Nodes with more than this share of the hessian compare splits two levels deep.
double share_compared(Lookahead lookahead);
// Limits of a leaf, for a share of the rows.
Params scaled_to_sample(Params params, double share);

class TreeGrower {
 public:
  // A tree has so many rows at most, and a share `subsample` of them on average.
  TreeGrower(const BinnedData& data, const Params& params, std::size_t n_rows);

  // Where the caller puts the n rows of the next tree and their gradients.
  RowSet rows(std::size_t n) {
    spaces_.use(n);
    return spaces_[0];
  }

  // `number`: of the iteration; `key`: for random draws. Throws Stopped.
  GrownTree grow(const Units& units, u64 number, u64 key, ThreadPool& pool,
                 StopToken& stop);

  // Whether histograms have wide cells, as the units must say.
  bool wide() const { return wide_; }
  const SplitFinder& finder() const { return evaluator_->finder(); }

 private:
  GrownTree grow_leafwise(u64 key, std::optional<BinnedSplit> root);
  GrownTree grow_full(u64 key);
  std::optional<BinnedSplit> light_root(const Units& units, u64 number, u64 key);
  Child whole(NodeContext context);

  const BinnedData* data_;
  const Params* params_;
  Lookahead lookahead_;
  Params sample_params_;
  bool wide_;
  HistogramStore store_;
  RowSpaces spaces_;
  RowSpaces sample_spaces_;
  std::optional<SampleWindows> windows_;
  std::vector<u32> sampled_;  // indices of the rows in the window
  std::optional<NodeEvaluator> evaluator_;
};

}  // namespace dpdtree::boosting
