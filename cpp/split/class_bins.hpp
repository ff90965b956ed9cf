// Bins of three and more classes (see node_bins.hpp). Impurity sums never fall when
// rows are added, so a split within a bin leaves at least that of the rows before the
// bin and that of the rows behind it, and its score, n less what it leaves, is at most
//   rows of the bin + Σl²/n of those before + Σr²/n of those behind.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/tolerance.hpp"
#include "simd/dispatch.hpp"
#include "split/block_scan.hpp"
#include "split/feasible.hpp"
#include "split/gini_counts.hpp"
#include "split/loss_accumulators.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

// LeftSums [0, m) of `b` become those behind each of m bins, of which `joined` ones of
// the counts, by bin and class, are one; `w` bounds the score of any split within the
// bin. `errors`: `count` is what the majorities of both sides get right there, and
// `majority` bounds it within the bin.
inline void write_class_edges(const u32* counts, std::size_t joined, std::size_t m,
                              const NodeView& node, bool errors, LeftSums& b) {
  constexpr std::size_t kBins = CoarseCodes::kBins;
  b.reserve(kBins, LeftSums::Parts::counts_and_sums);
  b.reserve(kBins, LeftSums::Parts::weights_and_sums);
  std::array<i32, kBins> scratch;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::array<i32, kBins> most_left{}, most_right{};
  std::fill_n(b.n.begin(), m, 0);
  std::fill_n(b.a.begin(), m, 0.0);
  std::fill_n(b.b.begin(), m, 0.0);
  kernels().bin.class_edges(
      counts, node.stats.size(), joined, m, node.stats.data(),
      {b.n.data(), b.a.data(), b.b.data(), errors ? most_left.data() : nullptr,
       errors ? most_right.data() : nullptr, scratch.data()});
  const auto n_all = static_cast<double>(node.n());
  double n = 0, before = 0;  // rows on the left; Σl²/n of the bins before
  for (std::size_t i = 0; i < m; ++i) {
    const double upto = b.n[i], behind = n_all - upto;
    b.w[i] = upto - n + before + (behind > 0 ? b.b[i] / behind : 0);
    before = upto > 0 ? b.a[i] / upto : 0;
    n = upto;
  }
  if (!errors) return;
  double behind = *std::max_element(node.stats.begin(), node.stats.end());
  for (std::size_t i = 0; i < m; ++i) {
    b.count[i] = most_left[i] + most_right[i];
    b.majority[i] = most_left[i] + behind;
    behind = most_right[i];
  }
}

// The same of the bins of a feature. Returns m.
inline std::size_t write_bins(const NodeBins& bins, u32 f, const NodeView& node,
                              bool errors, LeftSums& b) {
  const std::size_t m = bins.n_bins(f);
  write_class_edges(bins.class_counts(f, node.stats.size()),
                    std::size_t{1} << bins.shift(f), m, node, errors, b);
  return m;
}

// The bins of a feature with missing values with that of these first.
inline std::vector<u32> missing_first(const NodeBins& bins, u32 f,
                                      std::size_t n_classes) {
  const u32* counts = bins.class_counts(f, n_classes);
  const std::size_t joined = (std::size_t{1} << bins.shift(f)) * n_classes;
  const std::size_t present = (bins.n_bins(f) - 1) * joined;
  std::vector<u32> out(counts + present, counts + present + joined);
  out.insert(out.end(), counts, counts + present);
  return out;
}

// add(m, first) for `b` as write_class_edges leaves it of m bins, of which no split
// lies in those before `first`. Where values are missing it is called twice: they are
// right of all splits, then left of them in a bin of their own.
template <class Add>
void visit_class_edges(NodeBins& bins, u32 f, const NodeView& node, bool errors,
                       LeftSums& b, Add add) {
  const std::size_t n_classes = node.stats.size();
  const std::size_t m = bins.n_bins(f) - (bins.has_missing(f) ? 1 : 0);
  const std::size_t joined = std::size_t{1} << bins.shift(f);
  const u32* counts = bins.class_counts(f, n_classes);
  write_class_edges(counts, joined, m, node, errors, b);
  add(m, 0);
  if (!bins.has_missing(f)) return;
  const auto present = static_cast<std::size_t>(b.n[m - 1]);
  bins.bounds(f).constant = present == 0;
  if (present == node.n()) return;
  write_class_edges(missing_first(bins, f, n_classes).data(), joined, m + 1, node,
                    errors, b);
  add(m + 1, 1);
}

inline void bound_bins(NodeBins& bins, u32 f, const GiniCounts& acc, const Targets&,
                       const NodeView& node, const SplitLimits& limits, bool errors,
                       LeftSums& b) {
  visit_class_edges(bins, f, node, errors, b, [&](std::size_t m, std::size_t first) {
    const auto [lo, hi] = feasible(b, 0, m, false, node, limits);
    bins.score = acc.best(b, lo, hi, bins.score).score;
    if (errors)
      bins.correct = std::max(bins.correct, CountsOfErrors::most_correct(b, lo, hi));
    NodeBins::Bounds& most = bins.bounds(f);
    for (std::size_t i = first; i < m; ++i) {
      most.score = std::max(most.score, b.w[i]);
      if (errors) most.correct = std::max(most.correct, b.majority[i]);
    }
  });
}

// Errors are what splits are compared by.
inline void bound_bins(NodeBins& bins, u32 f, const ClassErrors&, const Targets&,
                       const NodeView& node, const SplitLimits& limits, bool,
                       LeftSums& b) {
  visit_class_edges(bins, f, node, true, b, [&](std::size_t m, std::size_t first) {
    const auto [lo, hi] = feasible(b, 0, m, false, node, limits);
    bins.score = std::max(bins.score, ClassErrors::most_correct(b, lo, hi));
    double& most = bins.bounds(f).score;
    for (std::size_t i = first; i < m; ++i) most = std::max(most, b.majority[i]);
  });
}

// Starts an accumulator with the rows left of a bin; bins are asked for in ascending
// order.
template <class A>
class LeftOfBins {
 public:
  LeftOfBins(const NodeBins& bins, u32 f, const OpenBins& opened, A& acc,
             std::size_t n_classes)
      : count_(bins.class_counts(f, n_classes)),
        shift_(bins.shift(f)),
        opened_(opened),
        acc_(acc),
        left_(n_classes, 0.0) {}
  void operator()(std::size_t first) {
    for (; at_ < first << shift_; ++at_)
      for (double& k : left_) k += *count_++;
    acc_.start(left_.data(), static_cast<u32>(opened_.n[first]));
  }

 private:
  const u32* count_;
  u32 shift_;
  const OpenBins& opened_;
  A& acc_;
  std::vector<double> left_;
  std::size_t at_ = 0;  // the bin that `left_` is left of
};

// As search_bins of two classes.
inline bool search_bins(const NodeBins& bins, u32 f, const Column& column,
                        const Targets& targets, GiniCounts& acc, const NodeView& node,
                        const SplitLimits& limits, bool error_bound, LeftSums& b,
                        BlockBest& found) {
  const double floor = found.score * (1 - kRounding);
  if (bins.closed(f, floor, error_bound)) return leave(bins, f, error_bound, found);
  if (bins.has_missing(f)) return false;
  const std::size_t m = write_bins(bins, f, node, error_bound, b);
  OpenBins opened(b, m);
  for (std::size_t i = 0; i < m; ++i)
    opened.open[i] = !opened.is_empty(i) &&
                     (b.w[i] >= floor || (error_bound && b.majority[i] > bins.correct));
  if (!few_are_open<GiniCounts>(bins, f, column.order, opened, node.n())) return false;
  const auto compare = [&](auto& counts) {
    compare_open(bins, f, column, targets, counts, node, limits, error_bound, opened,
                 LeftOfBins(bins, f, opened, counts, node.stats.size()), b, found);
  };
  if (error_bound) {
    CountsOfErrors errors(acc);
    compare(errors);
  } else {
    compare(acc);
  }
  return leave(bins, f, error_bound, found);
}

inline bool search_bins(const NodeBins& bins, u32 f, const Column& column,
                        const Targets& targets, ClassErrors& acc, const NodeView& node,
                        const SplitLimits& limits, bool error_bound, LeftSums& b,
                        BlockBest& found) {
  const double floor = found.score * (1 - kRounding);
  if (bins.closed(f, floor, error_bound)) return leave(bins, f, error_bound, found);
  if (bins.has_missing(f)) return false;
  const std::size_t m = write_bins(bins, f, node, true, b);
  OpenBins opened(b, m);
  for (std::size_t i = 0; i < m; ++i)
    opened.open[i] = !opened.is_empty(i) && b.majority[i] >= floor;
  if (!few_are_open<ClassErrors>(bins, f, column.order, opened, node.n())) return false;
  compare_open(bins, f, column, targets, acc, node, limits, error_bound, opened,
               LeftOfBins(bins, f, opened, acc, node.stats.size()), b, found);
  return leave(bins, f, error_bound, found);
}

}  // namespace dpdtree
