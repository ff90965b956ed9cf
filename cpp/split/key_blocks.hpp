// Blocks of a node's rows in the order of a feature: what is left of each block and
// what is right of it bound every split within (see class_bins.hpp), so that most rows
// are counted and no more. For nodes that are too small for the bins of all rows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/tolerance.hpp"
#include "split/accumulator_traits.hpp"
#include "split/class_bins.hpp"
#include "split/constrained_scan.hpp"
#include "split/finder.hpp"
#include "split/gini_counts.hpp"
#include "split/loss_accumulators.hpp"

namespace dpdtree {

template <class A>
constexpr bool counts_in_key_blocks() {
  return std::is_same_v<A, GiniCounts> || std::is_same_v<A, ClassErrors>;
}

// 2^shift rows each, the last one fewer.
struct KeyBlocks {
  static constexpr std::size_t kLeastRows = 96;  // of a node that gains by them
  static constexpr u32 kLeastShift = 4;

  std::size_t n_rows, n;
  u32 shift;

  explicit KeyBlocks(std::size_t rows)
      : n_rows(rows),
        shift(std::max(kLeastShift, static_cast<u32>(std::bit_width(
                                        (rows - 1) / CoarseCodes::kBins)))) {
    n = ((rows - 1) >> shift) + 1;
  }
  std::size_t begin(std::size_t block) const {
    return std::min(block << shift, n_rows);
  }
};

// Rows by block and class.
inline void count_in_blocks(const KeySource& source, const KeyBlocks& blocks,
                            std::size_t n_classes, std::vector<u32>& counts) {
  constexpr std::size_t kInOneWord = 8;  // classes, a byte each
  constexpr u32 kByteShift = 7;
  const u32 mask = (1u << source.class_bits) - 1;
  const u32* keys = source.keys.data();
  counts.assign(blocks.n * n_classes, 0);
  u32* count = counts.data();
  for (std::size_t i = 0; i < blocks.n; ++i, count += n_classes) {
    const std::size_t end = blocks.begin(i + 1);
    if (n_classes > kInOneWord || blocks.shift > kByteShift) {
      for (std::size_t j = blocks.begin(i); j < end; ++j) ++count[keys[j] & mask];
      continue;
    }
    u64 packed = 0;  // no count waits for the one before
    for (std::size_t j = blocks.begin(i); j < end; ++j)
      packed += u64{1} << (8 * (keys[j] & mask));
    for (std::size_t k = 0; k < n_classes; ++k) count[k] = packed >> (8 * k) & 0xff;
  }
}

// Which blocks hold a split that may be the best, and how good it is at least.
class OpenBlocks {
 public:
  std::array<bool, CoarseCodes::kBins + 1> open{};
  bool errors = false;  // some are open for the errors' sake alone
  std::size_t n_open_rows = 0;

  // `b` has the edges of the blocks, as write_class_edges leaves them.
  template <class A>
  OpenBlocks(const KeySource& source, const KeyBlocks& blocks, const A& acc,
             const NodeView& node, const SplitLimits& limits, bool error_bound,
             double floor, const LeftSums& b, double& most_correct) {
    const auto [lo, hi] = feasible(b, 0, blocks.n - 1, false, node, limits);
    for (std::size_t i = lo; i < hi; ++i) {
      const std::size_t next = blocks.begin(i + 1);
      if (source.code(next - 1) == source.code(next)) continue;
      floor = std::max(floor, edge(acc, b, i));
      if (error_bound) most_correct = std::max<double>(most_correct, b.count[i]);
    }
    const double least = floor > 0 ? floor * (1 - kRounding) : floor;
    for (std::size_t i = 0; i < blocks.n; ++i) {
      open[i] = within(acc, b, i) >= least;
      const bool wrong = error_bound && b.majority[i] > most_correct;
      errors |= wrong;
      open[i] |= wrong;
      if (open[i]) n_open_rows += blocks.begin(i + 1) - blocks.begin(i);
    }
  }

 private:
  static double edge(const GiniCounts& acc, const LeftSums& b, std::size_t i) {
    return acc.score(b, i);
  }
  static double edge(const ClassErrors&, const LeftSums& b, std::size_t i) {
    return b.count[i];
  }
  static double within(const GiniCounts&, const LeftSums& b, std::size_t i) {
    return b.w[i];
  }
  static double within(const ClassErrors&, const LeftSums& b, std::size_t i) {
    return b.majority[i];
  }
};

// Compares the boundaries within the open blocks.
template <class A>
void compare_open_blocks(const KeySource& source, const KeyBlocks& blocks,
                         const OpenBlocks& opened, A& acc, const NodeView& node,
                         const SplitLimits& limits, bool error_bound, SplitScratch& s,
                         BlockBest& found) {
  const std::size_t n_classes = node.stats.size();
  const u32* count = s.block_counts.data();
  std::vector<double> left(n_classes, 0.0);
  LeftSums& b = s.boundaries;
  b.reserve(blocks.n_rows + 1, parts_written<A>());
  std::size_t at = 0;  // the block that `left` is left of
  for (std::size_t i = 0; i < blocks.n; ++i) {
    if (!opened.open[i]) continue;
    const std::size_t first = blocks.begin(i);
    for (; at < i; ++at)
      for (std::size_t k = 0; k < n_classes; ++k) left[k] += *count++;
    while (opened.open[i + 1]) ++i;
    // One row more: it tells whether there is a boundary before it.
    const std::size_t n = std::min(blocks.begin(i + 1) + 1, blocks.n_rows) - first;
    acc.start(left.data(), static_cast<u32>(first));
    write_boundaries(acc, KeySource{source.keys.subspan(first, n), source.class_bits},
                     n, b);
    const auto [lo, hi] = feasible(b, 0, b.size - 1, false, node, limits);
    take(acc.best(b, lo, hi, found.score), b, found);
    if constexpr (A::kMajorityFromPrefix) {
      if (error_bound)
        found.most_correct = std::max(found.most_correct, acc.most_correct(b, lo, hi));
    }
  }
}

// True where the best split is asked for and no other.
inline bool may_skip_keys(const FinderParams& params, const NodeView& node,
                          const SplitRequest& request, const KeySource& source) {
  return params.coarse != nullptr && source.size() >= KeyBlocks::kLeastRows &&
         request.visit_all == nullptr && params.threshold_price == 0 &&
         !ranked_by_net(node);
}

// The best split of a feature whose keys are at hand and none of whose values is
// missing. False if it is better to look at all rows; then nothing was done.
template <class A>
bool search_key_blocks(const KeySource& source, A& acc, const NodeView& node,
                       const SplitLimits& limits, bool error_bound, SplitScratch& s,
                       BlockBest& found) {
  constexpr std::size_t kMostShare = 2;  // of the rows
  const KeyBlocks blocks(source.size());
  const std::size_t n_classes = node.stats.size();
  count_in_blocks(source, blocks, n_classes, s.block_counts);
  const bool errors = error_bound || breaks_ties<A>();
  write_class_edges(s.block_counts.data(), 1, blocks.n, node, errors, s.boundaries);
  double most_correct = s.most_correct;
  const OpenBlocks opened(source, blocks, acc, node, limits, error_bound, found.score,
                          s.boundaries, most_correct);
  if (opened.n_open_rows * kMostShare > source.size()) return false;
  found.n_boundaries = 1;
  found.most_correct = most_correct;
  if constexpr (std::is_same_v<A, GiniCounts>) {
    if (opened.errors) {
      CountsOfErrors both(acc);
      compare_open_blocks(source, blocks, opened, both, node, limits, true, s, found);
      return true;
    }
  }
  compare_open_blocks(source, blocks, opened, acc, node, limits, error_bound, s, found);
  return true;
}

}  // namespace dpdtree
