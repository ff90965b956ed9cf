// The root split by a small dynamic program on a sample of many rows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/rng.hpp"
#include "boost/leafwise.hpp"

namespace dpdtree::boosting {

// Each row belongs to one of a few windows of about the same size, by a hash of its
// number.
class WindowOfRow {
 public:
  WindowOfRow(u32 n_windows, u64 seed)
      : n_windows_(n_windows), hash_(seed, {0, 0x77696e646f7773ULL}) {}
  u32 operator()(u64 row) const { return hash_.below(n_windows_, row); }

 private:
  u32 n_windows_;
  NumberHash hash_;
};

// How many windows there are, for trees of n rows.
u32 n_sample_windows(std::size_t n);

// One tree uses one of the windows, the next tree the next.
class SampleWindows {
 public:
  // For trees of n_used rows, whose numbers are below n_rows.
  SampleWindows(std::size_t n_used, std::size_t n_rows, u64 seed);

  // The indices of those of the rows that a tree uses.
  void pick(std::span<const Row> rows, u64 tree, std::vector<u32>& indices) const;
  double share() const { return 1.0 / n_windows_; }

 private:
  u32 n_windows_;
  std::shared_ptr<const std::vector<u8>> window_;  // of each row
};

// Of the splits of a greedy tree with four of them on the sampled rows, the one that
// gains most as the root of two levels. None if nothing can be gained.
std::optional<BinnedSplit> root_by_sample(NodeEvaluator& evaluator,
                                          const RowSet& sample,
                                          std::span<const RowSet> room, u64 key);

}  // namespace dpdtree::boosting
