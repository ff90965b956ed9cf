// Bins of unweighted classes for entropy (see node_bins.hpp). What tells which bins are
// opened is rounded otherwise than scores are, so it is compared with some slack;
// scores themselves are computed within open bins only, and as everywhere else.
//
// Two classes: the score of a split within a bin is largest at an edge of the bin, or
// with all rows of one class first. More of them: no split leaves less entropy than the
// rows before the bin and those behind it have.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "split/class_bins.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

using EntropyCounts = EntropyAccumulator<false>;

// Rows of each class on the left of a bin, bin after bin; the last ones are all there
// are.
class LeftCounts {
 public:
  LeftCounts(const NodeBins& bins, u32 f, std::size_t n_classes)
      : n_classes_(n_classes), left_((bins.n_bins(f) + 1) * n_classes, 0) {
    const std::size_t joined = std::size_t{1} << bins.shift(f), m = bins.n_bins(f);
    const u64* two = n_classes == 2 ? bins.counts(f) : nullptr;
    const u32* more = n_classes == 2 ? nullptr : bins.class_counts(f, n_classes);
    for (std::size_t i = 0; i < m; ++i) {
      const u32* before = of(i);
      u32* left = left_.data() + (i + 1) * n_classes;
      std::copy_n(before, n_classes, left);
      for (std::size_t j = 0; j < joined; ++j) {
        if (two != nullptr) {
          const auto rows = static_cast<u32>(*two), ones = static_cast<u32>(*two >> 32);
          left[0] += rows - ones;
          left[1] += ones;
          ++two;
        } else {
          for (std::size_t k = 0; k < n_classes; ++k) left[k] += *more++;
        }
      }
    }
  }
  const u32* of(std::size_t bin) const { return left_.data() + bin * n_classes_; }
  u32 rows(std::size_t bin) const {
    u32 n = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) n += of(bin)[k];
    return n;
  }
  // As accumulators start.
  template <class A>
  void start(A& acc, std::size_t bin) const {
    const std::vector<double> left(of(bin), of(bin) + n_classes_);
    acc.start(left.data(), rows(bin));
  }

 private:
  std::size_t n_classes_;
  std::vector<u32> left_;
};

// Of scores, that of a node, and of all that they are rounded by.
inline double slack_of(const NodeView& node) {
  return std::ldexp(static_cast<double>(node.n()), -36);
}

class EntropyBounds {
 public:
  static constexpr std::size_t kBins = CoarseCodes::kBins;
  std::size_t m;
  LeftCounts left;
  std::array<double, kBins + 1> edge;  // the score of a split before each bin
  std::array<double, kBins> within;    // no split in the bin has a larger one

  EntropyBounds(const NodeBins& bins, u32 f, const Targets& targets)
      : m(bins.n_bins(f)),
        left(bins, f, targets.n_classes),
        table_(targets.xlogx_table.data()),
        n_classes_(targets.n_classes) {
    std::array<double, kBins + 1> before{}, behind{};  // less their entropies
    const u32* all = left.of(m);
    std::vector<u32> rest(n_classes_);
    for (std::size_t i = 0; i <= m; ++i) {
      const u32* own = left.of(i);
      for (std::size_t k = 0; k < n_classes_; ++k) rest[k] = all[k] - own[k];
      before[i] = negative_entropy(own);
      behind[i] = negative_entropy(rest.data());
      edge[i] = before[i] + behind[i];
    }
    for (std::size_t i = 0; i < m; ++i)
      within[i] = n_classes_ == 2 ? most_of_two(i) : before[i] + behind[i + 1];
  }

 private:
  double negative_entropy(const u32* counts) const {
    double sum = 0;
    u32 n = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      sum += table_[counts[k]];
      n += counts[k];
    }
    return sum - table_[n];
  }
  double most_of_two(std::size_t i) const {
    const u32 *a = left.of(i), *b = left.of(i + 1), *all = left.of(m);
    const auto with = [&](u32 zeros, u32 ones) {
      const u32 sides[4] = {zeros, ones, all[0] - zeros, all[1] - ones};
      return negative_entropy(sides) + negative_entropy(sides + 2);
    };
    return std::max({edge[i], edge[i + 1], with(a[0], b[1]), with(b[0], a[1])});
  }

  const double* table_;
  std::size_t n_classes_;
};

// What the majorities of both sides of each edge get right, and at most of each split
// within a bin.
struct ErrorBounds {
  std::array<u32, CoarseCodes::kBins + 1> edge, most_left, most_right;

  ErrorBounds(const LeftCounts& left, std::size_t m, std::size_t n_classes) {
    const u32* all = left.of(m);
    for (std::size_t i = 0; i <= m; ++i) {
      const u32* own = left.of(i);
      most_left[i] = most_right[i] = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        most_left[i] = std::max(most_left[i], own[k]);
        most_right[i] = std::max(most_right[i], all[k] - own[k]);
      }
      edge[i] = most_left[i] + most_right[i];
    }
  }
  u32 within(std::size_t i) const { return most_left[i + 1] + most_right[i]; }
};

inline bool is_feasible(u32 n_left, const NodeView& node, const SplitLimits& limits) {
  const auto n = static_cast<double>(node.n()), left = static_cast<double>(n_left);
  const double least =
      std::max(static_cast<double>(limits.min_samples_leaf), limits.min_weight_leaf);
  return left >= least && n - left >= least;
}

inline void bound_bins(NodeBins& bins, u32 f, const EntropyCounts&,
                       const Targets& targets, const NodeView& node,
                       const SplitLimits& limits, bool errors, LeftSums&) {
  const EntropyBounds own(bins, f, targets);
  NodeBins::Bounds& most = bins.bounds(f);
  most.score = *std::max_element(own.within.begin(), own.within.begin() + own.m);
  for (std::size_t i = 1; i < own.m; ++i)
    if (is_feasible(own.left.rows(i), node, limits))
      bins.first_floor = std::max(bins.first_floor, own.edge[i] - 2 * slack_of(node));
  std::size_t first = 0;
  while (own.left.rows(first + 1) == 0) ++first;
  most.constant = bins.layout(f) == CoarseCodes::Layout::own &&
                  own.left.rows(first + 1) == own.left.rows(own.m);
  if (!errors) return;
  const ErrorBounds wrong(own.left, own.m, targets.n_classes);
  for (std::size_t i = 1; i < own.m; ++i)
    if (is_feasible(own.left.rows(i), node, limits))
      bins.correct = std::max<double>(bins.correct, wrong.edge[i]);
  if (bins.layout(f) == CoarseCodes::Layout::own) return;
  for (std::size_t i = 0; i < own.m; ++i)
    most.correct = std::max<double>(most.correct, wrong.within(i));
}

// Where values have bins of their own: all boundaries lie between bins.
inline void compare_own(const LeftCounts& left, std::size_t m, EntropyCounts& acc,
                        const NodeView& node, const SplitLimits& limits, LeftSums& b,
                        BlockBest& found) {
  b.reserve(m, parts_written<EntropyCounts>());
  for (std::size_t i = 0; i < m; ++i) {
    left.start(acc, i + 1);
    acc.emit(b, i);
  }
  compare_own(acc, b, m, node, limits, found);
}

// As search_bins of Gini.
inline bool search_bins(const NodeBins& bins, u32 f, const Column& column,
                        const Targets& targets, EntropyCounts& acc,
                        const NodeView& node, const SplitLimits& limits,
                        bool error_bound, LeftSums& b, BlockBest& found) {
  const double floor = found.score - slack_of(node);
  if (bins.closed(f, floor, error_bound)) return leave(bins, f, error_bound, found);
  const EntropyBounds own(bins, f, targets);
  if (bins.layout(f) == CoarseCodes::Layout::own) {
    compare_own(own.left, own.m, acc, node, limits, b, found);
    return leave(bins, f, error_bound, found);
  }
  OpenBins opened(own.left, own.m), wrong(own.left, own.m);
  for (std::size_t i = 0; i < own.m; ++i)
    opened.open[i] = !opened.is_empty(i) && own.within[i] >= floor;
  if (!few_are_open(bins, f, column.order, opened, node.n())) return false;
  if (error_bound) {
    const ErrorBounds errors(own.left, own.m, targets.n_classes);
    for (std::size_t i = 0; i < own.m; ++i)
      wrong.open[i] = !wrong.is_empty(i) && errors.within(i) > bins.correct;
    if (!few_are_open(bins, f, column.order, wrong, node.n())) return false;
    CountsOfErrors counts(targets, node.stats);
    BlockBest none{std::numeric_limits<double>::max()};
    compare_open(
        bins, f, column, targets, counts, node, limits, true, wrong,
        [&](std::size_t first) { own.left.start(counts, first); }, b, none);
    found.most_correct = none.most_correct;
  }
  compare_open(
      bins, f, column, targets, acc, node, limits, false, opened,
      [&](std::size_t first) { own.left.start(acc, first); }, b, found);
  return leave(bins, f, error_bound, found);
}

}  // namespace dpdtree
