// The best split of a feature by way of bins (see node_bins.hpp): bounds first, then
// the boundaries within the bins that could hold a better one.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "split/accumulator_traits.hpp"
#include "split/block_scan.hpp"
#include "split/class_bins.hpp"
#include "split/constrained_scan.hpp"
#include "split/entropy_bins.hpp"
#include "split/finder.hpp"
#include "split/moment_bins.hpp"
#include "split/node_bins.hpp"
#include "split/open_bins.hpp"
#include "split/weighted_bins.hpp"

namespace dpdtree {

// True for Gini, entropy and errors of classes, and for numbers.
template <class A>
constexpr bool counts_in_bins() {
  return (A::kMajorityFromPrefix && has_corners<A>()) ||
         std::is_same_v<A, GiniCounts> || std::is_same_v<A, ClassErrors> ||
         is_entropy<A>() || weighs_classes<A>() || sums_numbers<A>();
}

// True if rows without a value have a bin, too.
template <class A>
constexpr bool bounds_missing() {
  return !sums_numbers<A>() && counts_in_bins<A>();
}

// The largest score of boundaries [lo, hi), or the floor.
template <class A>
double best_score(const A& acc, const LeftSums& b, std::size_t lo, std::size_t hi,
                  double floor) {
  if constexpr (breaks_ties<A>())
    return std::max(floor, acc.most_correct(b, lo, hi));
  else
    return acc.best(b, lo, hi, floor).score;
}

// LeftSums [0, m) of `b` become those behind each of the first m bins; the next m are
// what they would be inside of it with the rows of class 1 first, the last ones with
// those of class 0 first. `missing_left`: behind bin m, too.
inline void write_corners(const NodeBins& bins, u32 f, std::size_t m, bool missing_left,
                          LeftSums& b) {
  b.reserve(3 * std::size_t{CoarseCodes::kBins}, LeftSums::Parts::counts);
  const u64* counts = bins.counts(f);
  const std::size_t each = std::size_t{1} << bins.shift(f);
  const u64 start = missing_left ? counts[m * each] : 0;
  auto n = static_cast<i32>(start & 0xffff'ffffu), c = static_cast<i32>(start >> 32);
  for (std::size_t i = 0; i < m; ++i) {
    u64 both = 0;
    for (std::size_t j = 0; j < each; ++j) both += *counts++;
    const auto rows = static_cast<i32>(both & 0xffff'ffffu);
    const auto ones = static_cast<i32>(both >> 32);
    b.n[m + i] = n + ones;
    b.count[m + i] = c + ones;
    b.n[2 * m + i] = n + rows - ones;
    b.count[2 * m + i] = c;
    b.n[i] = n += rows;
    b.count[i] = c += ones;
  }
}

// The same with weights.
template <class A>
void write_corners_of(const NodeBins& bins, u32 f, std::size_t m, bool missing_left,
                      LeftSums& b) {
  if constexpr (has_weights<A>())
    write_corners_of_weights(bins, f, m, missing_left, b);
  else
    write_corners(bins, f, m, missing_left, b);
}

// Adds what is known of a feature without a look into its bins; `b` has the corners of
// m of them.
template <class A>
void add_bounds(NodeBins& bins, u32 f, const A& acc, std::size_t m,
                const NodeView& node, const SplitLimits& limits, bool errors,
                const LeftSums& b) {
  const auto [lo, hi] = feasible(b, 0, m, has_weights<A>(), node, limits);
  bins.score = best_score(acc, b, lo, hi, bins.score);
  if (errors) bins.correct = std::max(bins.correct, acc.most_correct(b, lo, hi));
  NodeBins::Bounds& most = bins.bounds(f);
  if (bins.layout(f) == CoarseCodes::Layout::own) {
    most.score = best_score(acc, b, lo, hi, -1);
    most.constant = in_one_bin(b, m);
    return;
  }
  most.score = std::max(most.score, best_score(acc, b, 0, 3 * m, -1));
  if (errors) most.correct = std::max(most.correct, acc.most_correct(b, 0, 3 * m));
}

template <class A>
void bound_bins(NodeBins& bins, u32 f, const A& acc, const Targets&,
                const NodeView& node, const SplitLimits& limits, bool errors,
                LeftSums& b) {
  const std::size_t n_bins = bins.n_bins(f);
  if (!bins.has_missing(f)) {
    write_corners_of<A>(bins, f, n_bins, false, b);
    return add_bounds(bins, f, acc, n_bins, node, limits, errors, b);
  }
  const std::size_t m = n_bins - 1;
  write_corners_of<A>(bins, f, m, false, b);
  const auto present = static_cast<std::size_t>(b.n[m - 1]);
  add_bounds(bins, f, acc, m, node, limits, errors, b);
  bins.bounds(f).constant = present == 0;
  if (present == node.n()) return;
  write_corners_of<A>(bins, f, m, true, b);
  add_bounds(bins, f, acc, m, node, limits, errors, b);
}

// False for few values of many classes: their histogram is faster than all those bins;
// and for few rows of many numbers, where most bins would be opened.
template <class A>
bool gains_by_bins(const CoarseCodes& codes, u32 f, const NodeView& node) {
  if (codes.slot(f) < 0) return false;
  if (codes.bins(f).missing && !bounds_missing<A>()) return false;
  const bool own = codes.bins(f).layout == CoarseCodes::Layout::own;
  if constexpr (sums_numbers<A>()) return own || node.n() >= kLeastToShare;
  return !own || node.stats.size() == 2;
}

// Bounds of entropies are sums of logarithms: from a table, or else of many rows.
// Weights of many classes take long to be cleared and subtracted.
template <class A>
bool pays_by_bins(const Targets& targets, std::size_t n_rows) {
  constexpr std::size_t kLeastRows = 2048, kLeastPerClass = 128;
  if (std::is_same_v<A, EntropyCounts>) return n_rows < targets.xlogx_table.size();
  if (weighs_classes<A>()) return n_rows >= kLeastPerClass * targets.n_classes;
  return !std::is_same_v<A, EntropyWeights> || n_rows >= kLeastRows;
}

// Counts the node's rows in bins, if that helps the searches of its features.
template <class A>
std::optional<NodeBins> count_in_bins(const FinderParams& params,
                                      const Targets& targets, const NodeView& node,
                                      std::span<const u32> features,
                                      const SplitRequest& request, ThreadPool* pool,
                                      const std::function<bool()>& stopped) {
  std::optional<NodeBins> bins;
  if constexpr (counts_in_bins<A>()) {
    const CoarseCodes* codes = params.coarse;
    if (codes == nullptr || codes->empty() || !NodeBins::suits(*codes, node.n()) ||
        request.visit_all != nullptr || request.feature_scores != nullptr ||
        params.threshold_price > 0 || ranked_by_net(node))
      return bins;
    if (!exact_in_bins<A>(targets, node) || !pays_by_bins<A>(targets, node.n()))
      return bins;
    std::vector<u32> gaining;
    for (const u32 f : features)
      if (gains_by_bins<A>(*codes, f, node)) gaining.push_back(f);
    if (gaining.empty()) return bins;
    const auto counts = std::make_shared<BinCounts>(*codes, gaining, targets);
    BinCountCache* cache = params.bin_counts;
    if ((cache == nullptr || !cache->fill(node.hash, *counts)) &&
        !count_rows(*codes, targets, node.rows, pool, stopped, *counts))
      return bins;
    if (cache != nullptr) cache->keep(node.hash, counts);
    bins.emplace(*codes, counts, node.rows);
    LeftSums b;
    const A acc(targets, node.stats);
    for (const u32 f : gaining)
      bound_bins(*bins, f, acc, targets, node, params.limits, request.error_bound, b);
  }
  return bins;
}

// Opens the bins whose corners reach the floor, or get more right than any split
// between bins; `b` has the corners. The edge before a bin is one, too, but never the
// best: more rows of the class that the left side is rich in make it better.
template <class A>
OpenBins open_bins(const NodeBins& bins, const A& acc, double floor, bool error_bound,
                   const LeftSums& b, std::size_t m) {
  OpenBins out(b, m);
  if constexpr (!has_weights<A>()) std::copy_n(b.count.begin(), m, out.c.begin() + 1);
  for (std::size_t i = 0; i < m; ++i) {
    if (out.is_empty(i)) continue;
    for (const std::size_t j : {i, m + i, 2 * m + i}) {
      if constexpr (breaks_ties<A>())
        out.open[i] |= acc.most_correct(b, j, j + 1) >= floor;
      else
        out.open[i] |= acc.score(b, j) >= floor;
      out.open[i] |= error_bound && acc.most_correct(b, j, j + 1) > bins.correct;
    }
  }
  return out;
}

// Looks into the bins that may hold a better split than `found`, one as good as the
// best between bins, or one that gets more right than these. False if it is better to
// look at all rows; then nothing was done.
template <class A>
bool search_bins(const NodeBins& bins, u32 f, const Column& column,
                 const Targets& targets, A& acc, const NodeView& node,
                 const SplitLimits& limits, bool error_bound, LeftSums& b,
                 BlockBest& found) {
  const ColumnOrder& order = column.order;
  const CoarseCodes::Layout layout = bins.layout(f);
  double floor = found.score * (1 - kRounding);
  if constexpr (has_weights<A>())
    if (!breaks_ties<A>()) floor -= slack_of_quotients(node, targets, found.score);
  if (bins.closed(f, floor, error_bound)) return leave(bins, f, error_bound, found);
  if (bins.has_missing(f)) return false;
  const std::size_t m = bins.n_bins(f);
  write_corners_of<A>(bins, f, m, false, b);
  if (layout == CoarseCodes::Layout::own) {
    compare_own(acc, b, m, node, limits, found);
    return leave(bins, f, error_bound, found);
  }
  const OpenBins opened = open_bins(bins, acc, floor, error_bound, b, m);
  if (!few_are_open<A>(bins, f, order, opened, node.n())) return false;
  const auto compare = [&](const auto& start) {
    compare_open(bins, f, column, targets, acc, node, limits, error_bound, opened,
                 start, b, found);
  };
  if constexpr (has_weights<A>())
    compare([&, left = LeftWeights(bins, f, 2)](std::size_t first) {
      left.start(acc, first);
    });
  else
    compare([&](std::size_t first) {
      const double left[2] = {static_cast<double>(opened.n[first] - opened.c[first]),
                              static_cast<double>(opened.c[first])};
      acc.start(left, static_cast<u32>(opened.n[first]));
    });
  return leave(bins, f, error_bound, found);
}

}  // namespace dpdtree
