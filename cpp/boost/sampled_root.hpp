// The root split by a small dynamic program on a sample of many rows.
#pragma once

#include <optional>
#include <vector>

#include "boost/leafwise.hpp"

namespace dpdtree::boosting {

// Windows of the once-shuffled positions 0 … n-1, each in ascending order; one tree
// uses one of them, the next tree the next.
class SampleWindows {
 public:
  SampleWindows(std::size_t n, u64 seed);

  std::span<const u32> window(u64 number) const;
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::size_t n_windows_;
  std::vector<u32> positions_;
};

// Of the splits of a greedy tree with four of them on the sampled rows, the one that
// gains most as the root of two levels. None if nothing can be gained.
std::optional<BinnedSplit> root_by_sample(NodeEvaluator& bench, const RowSet& sample,
                                          std::span<const RowSet> room, u64 key);

}  // namespace dpdtree::boosting
