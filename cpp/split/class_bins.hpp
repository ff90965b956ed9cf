// Bins of three and more classes (see node_bins.hpp). Impurity sums never fall when
// rows are added, so a split within a bin leaves at least that of the rows before the
// bin and that of the rows behind it, and its score, n less what it leaves, is at most
//   rows of the bin + Σl²/n of those before + Σr²/n of those behind.
#pragma once

#include <algorithm>
#include <vector>

#include "base/tolerance.hpp"
#include "split/block_scan.hpp"
#include "split/feasible.hpp"
#include "split/gini_counts.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

// LeftSums [0, kBins) of `b` become those behind each bin, with what the majorities of
// both sides get right as `count`; `w` and `majority` bound the score of any split
// within the bin, and what it gets right.
inline void write_bins(const NodeBins& bins, u32 f, const NodeView& node, LeftSums& b) {
  constexpr std::size_t kBins = CoarseCodes::kBins;
  b.reserve(kBins, LeftSums::Parts::counts_and_sums);
  b.reserve(kBins, LeftSums::Parts::weights_and_sums);
  const std::size_t n_classes = node.stats.size();
  const u32* count = bins.class_counts(f, n_classes);
  std::vector<double> sides(2 * n_classes, 0.0);
  double *left = sides.data(), *right = left + n_classes;
  std::copy(node.stats.begin(), node.stats.end(), right);
  double n = 0, before = 0;  // rows on the left; Σl²/n of the bins before
  double largest_behind = *std::max_element(right, right + n_classes);
  const std::size_t n_bins = bins.n_bins(f);
  for (std::size_t i = 0; i < n_bins; ++i, count += n_classes) {
    double here = 0, beyond = 0, most_left = 0, most_right = 0, own = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const auto m = static_cast<double>(static_cast<i32>(count[k]));
      own += m;
      left[k] += m;
      right[k] -= m;
      here += left[k] * left[k];
      beyond += right[k] * right[k];
      most_left = std::max(most_left, left[k]);
      most_right = std::max(most_right, right[k]);
    }
    n += own;
    const double behind = node.n() - n;
    b.n[i] = static_cast<i32>(n);
    b.a[i] = here;
    b.b[i] = beyond;
    b.count[i] = static_cast<i32>(most_left + most_right);
    b.w[i] = own + before + (behind > 0 ? beyond / behind : 0);
    b.majority[i] = most_left + largest_behind;
    before = n > 0 ? here / n : 0;
    largest_behind = most_right;
  }
  std::fill(b.n.begin() + static_cast<std::ptrdiff_t>(n_bins),
            b.n.begin() + static_cast<std::ptrdiff_t>(kBins),
            static_cast<i32>(node.n()));
}

inline void bound_bins(NodeBins& bins, u32 f, const GiniCounts& acc,
                       const NodeView& node, const SplitLimits& limits, LeftSums& b) {
  write_bins(bins, f, node, b);
  const auto [lo, hi] = feasible(b, 0, bins.n_bins(f), false, node, limits);
  bins.score = acc.best(b, lo, hi, bins.score).score;
  bins.correct = std::max(bins.correct, CountsOfErrors::most_correct(b, lo, hi));
  NodeBins::Bounds& most = bins.bounds(f);
  if (bins.codes().bins(f).kind == CoarseCodes::Kind::own) {
    most = {acc.best(b, lo, hi, -1).score, 0, in_one_bin(b)};
    return;
  }
  for (std::size_t i = 0; i < bins.n_bins(f); ++i) {
    most.score = std::max(most.score, b.w[i]);
    most.correct = std::max(most.correct, b.majority[i]);
  }
}

// Compares the boundaries within the open bins.
template <class A>
void compare_open(const NodeBins& bins, u32 f, const Column& column,
                  const Targets& targets, A& acc, const NodeView& node,
                  const SplitLimits& limits, bool error_bound, const OpenBins& look,
                  LeftSums& b, BlockBest& found) {
  const std::size_t n_classes = node.stats.size();
  const u32* count = bins.class_counts(f, n_classes);
  std::vector<double> left(n_classes, 0.0);
  std::size_t at = 0;  // the bin that `left` is left of
  const auto start = [&](std::size_t first) {
    for (; at < first; ++at)
      for (std::size_t k = 0; k < n_classes; ++k) left[k] += count[at * n_classes + k];
    acc.start(left.data(), static_cast<u32>(look.n[first]));
  };
  if (bins.codes().bins(f).kind == CoarseCodes::Kind::shared)
    return compare_shared(bins, f, column, targets, node, limits, error_bound, look,
                          acc, start, b, found);
  look_into(bins, column.order, look, [&](std::size_t first, auto words) {
    start(first);
    compare_blocks(acc, column.order, words, node, limits, error_bound, b, found);
  });
}

// As search_bins of two classes.
inline bool search_bins(const NodeBins& bins, u32 f, const Column& column,
                        const Targets& targets, GiniCounts& acc, const NodeView& node,
                        const SplitLimits& limits, bool error_bound, LeftSums& b,
                        BlockBest& found) {
  const std::size_t n_bins = bins.n_bins(f);
  const double floor = found.score * (1 - kRounding);
  if (bins.closed(f, floor, error_bound)) return leave(bins, f, error_bound, found);
  write_bins(bins, f, node, b);
  if (bins.codes().bins(f).kind == CoarseCodes::Kind::own) {
    compare_own(acc, b, n_bins, node, limits, found);
    return leave(bins, f, error_bound, found);
  }
  OpenBins look;
  std::copy_n(b.n.begin(), CoarseCodes::kBins, look.n.begin() + 1);
  for (std::size_t i = 0; i < n_bins; ++i)
    look.open[i] = !look.is_empty(i) &&
                   (b.w[i] >= floor || (error_bound && b.majority[i] > bins.correct));
  if (!few_are_open(bins, f, column.order, look, node.n())) return false;
  if (error_bound) {
    CountsOfErrors errors(acc);
    compare_open(bins, f, column, targets, errors, node, limits, true, look, b, found);
  } else {
    compare_open(bins, f, column, targets, acc, node, limits, false, look, b, found);
  }
  return leave(bins, f, error_bound, found);
}

}  // namespace dpdtree
