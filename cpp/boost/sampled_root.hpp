// The root split by a small dynamic program on a sample of many rows.
#pragma once

#include <optional>

#include "base/rng.hpp"
#include "boost/leafwise.hpp"

namespace dpdtree::boosting {

// Each row belongs to one of a few windows of about the same size, by a hash of its
// number; one tree uses one of them, the next tree the next.
class SampleWindows {
 public:
  SampleWindows(std::size_t n_rows, u64 seed);

  bool holds(Row row, u64 tree) const {
    return hash_.below(n_windows_, row) == tree % n_windows_;
  }
  double share() const { return 1.0 / n_windows_; }

 private:
  u32 n_windows_;
  NumberHash hash_;
};

// Of the splits of a greedy tree with four of them on the sampled rows, the one that
// gains most as the root of two levels. None if nothing can be gained.
std::optional<BinnedSplit> root_by_sample(NodeEvaluator& bench, const RowSet& sample,
                                          std::span<const RowSet> room, u64 key);

}  // namespace dpdtree::boosting
