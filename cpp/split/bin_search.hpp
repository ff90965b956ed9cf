// The best split of a feature by way of bins (see node_bins.hpp): bounds first, then
// the boundaries within the bins that could hold a better one.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>

#include "split/accumulator_traits.hpp"
#include "split/block_scan.hpp"
#include "split/constrained_scan.hpp"
#include "split/finder.hpp"
#include "split/node_bins.hpp"

namespace dpdtree {

template <class A>
constexpr bool counts_in_bins() {
  return scans_in_blocks<A>() && has_corners<A>();
}

// LeftSums [0, kBins) of `b` become those behind each bin; the next kBins are what
// they would be inside of it with the rows of class 1 first, the last ones with those
// of class 0 first.
inline void write_corners(const u64* counts, LeftSums& b) {
  constexpr std::size_t kBins = CoarseCodes::kBins;
  b.reserve(3 * kBins, LeftSums::Parts::counts);
  i32 n = 0, c = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    const auto rows = static_cast<i32>(counts[i] & 0xffff'ffffu);
    const auto ones = static_cast<i32>(counts[i] >> 32);
    b.n[kBins + i] = n + ones;
    b.count[kBins + i] = c + ones;
    b.n[2 * kBins + i] = n + rows - ones;
    b.count[2 * kBins + i] = c;
    b.n[i] = n += rows;
    b.count[i] = c += ones;
  }
}

// Adds what is known of a feature without a look into its bins.
template <class A>
void bound_bins(NodeBins& bins, u32 f, const A& acc, const NodeView& node,
                const SplitLimits& limits, LeftSums& b) {
  constexpr std::size_t kBins = CoarseCodes::kBins;
  write_corners(bins.counts(f), b);
  const auto [lo, hi] = feasible(b, 0, kBins, false, node, limits);
  bins.score = acc.best(b, lo, hi, bins.score).score;
  bins.correct = std::max(bins.correct, acc.most_correct(b, lo, hi));
  bins.bounds(f) = {acc.best(b, 0, 3 * kBins, -1).score,
                    acc.most_correct(b, 0, 3 * kBins)};
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
    const auto counts = std::make_shared<BinCounts>(*codes, features);
    if (counts->empty()) return bins;
    BinCountCache* cache = params.bin_counts;
    if ((cache == nullptr || !cache->fill(node.hash, *counts)) &&
        !count_rows(*codes, targets, node.rows, pool, stopped, *counts))
      return bins;
    if (cache != nullptr) cache->keep(node.hash, counts);
    bins.emplace(*codes, counts, node.rows);
    LeftSums b;
    const A acc(targets, node.stats);
    for (const u32 f : features)
      if (bins->covers(f)) bound_bins(*bins, f, acc, node, params.limits, b);
  }
  return bins;
}

// The bins of a feature, and what they hold of a node.
struct OpenBins {
  static constexpr std::size_t kBins = CoarseCodes::kBins;
  std::array<bool, kBins + 1> open{};   // those that are to be looked into
  std::array<i32, kBins + 1> n{}, c{};  // rows, and rows of class 1, left of each

  bool is_empty(std::size_t bin) const { return n[bin] == n[bin + 1]; }
};

// Where the codes of a bin start; those of a value before may reach into it.
inline std::size_t place_of_bin(const NodeBins& bins, const ColumnOrder& order,
                                std::size_t bin) {
  const std::size_t place = bins.codes().first_place(static_cast<u32>(bin));
  return next_start(order, std::min(place, order.sorted.size()));
}

// Opens the bins whose corners reach the floor, or get more right than any split
// between bins. False if they are so many that it is better to look at all rows.
template <class A>
bool open_bins(const NodeBins& bins, u32 f, const ColumnOrder& order, const A& acc,
               std::size_t n_rows, double floor, bool error_bound, LeftSums& b,
               OpenBins& out) {
  constexpr std::size_t kBins = CoarseCodes::kBins;
  constexpr std::size_t kMostShare = 3;   // of the rows
  constexpr std::size_t kMostPlaces = 4;  // a row, as all rows of a bin are looked at
  write_corners(bins.counts(f), b);
  std::copy_n(b.n.begin(), kBins, out.n.begin() + 1);
  std::copy_n(b.count.begin(), kBins, out.c.begin() + 1);
  std::size_t n_open = 0, n_places = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (out.is_empty(i)) continue;
    for (const std::size_t j : {i, kBins + i, 2 * kBins + i}) {
      out.open[i] |= acc.score(b, j) >= floor;
      out.open[i] |= error_bound && acc.most_correct(b, j, j + 1) > bins.correct;
    }
    if (!out.open[i]) continue;
    n_open += static_cast<std::size_t>(out.n[i + 1] - out.n[i]);
    n_places += place_of_bin(bins, order, i + 1) - place_of_bin(bins, order, i);
  }
  return n_open * kMostShare <= n_rows && n_places <= kMostPlaces * n_rows;
}

// The places of the bins [first, end), and of the next row of the node, bins away
// perhaps: the last boundary lies before it.
inline MemberWords words_of_bins(const NodeBins& bins, const ColumnOrder& order,
                                 const OpenBins& found, std::size_t first,
                                 std::size_t end) {
  const std::size_t n_all = order.sorted.size();
  std::size_t next = end;
  while (next < OpenBins::kBins && found.is_empty(next)) ++next;
  std::size_t row = next < OpenBins::kBins ? place_of_bin(bins, order, next) : n_all;
  while (row < n_all && !bins.contains(order.sorted[row])) ++row;
  return {order, bins, place_of_bin(bins, order, first), place_of_bin(bins, order, end),
          row};
}

// Looks into the bins that may hold a better split than `found`, one as good as the
// best between bins, or one that gets more right than these. False if it is better to
// look at all rows; then nothing was done.
template <class A>
bool search_bins(const NodeBins& bins, u32 f, const ColumnOrder& order, A& acc,
                 const NodeView& node, const SplitLimits& limits, bool error_bound,
                 LeftSums& b, BlockBest& found) {
  const double floor = found.score * (1 - kRounding);
  const NodeBins::Bounds& most = bins.bounds(f);
  // Not constant: else all rows would be in one bin, which nothing could keep closed.
  const auto leave = [&] {
    found.n_places = std::max<std::size_t>(found.n_places, 1);
    if (error_bound) found.most_correct = std::max(found.most_correct, bins.correct);
    return true;
  };
  if (most.score < floor && (!error_bound || most.correct <= bins.correct))
    return leave();
  OpenBins look;
  if (!open_bins(bins, f, order, acc, node.n(), floor, error_bound, b, look))
    return false;
  for (std::size_t i = 0; i < OpenBins::kBins; ++i) {
    if (!look.open[i]) continue;
    const std::size_t first = i;
    while (look.open[i + 1]) ++i;
    const double left[2] = {static_cast<double>(look.n[first] - look.c[first]),
                            static_cast<double>(look.c[first])};
    acc.start(left, static_cast<u32>(look.n[first]));
    compare_blocks(acc, order, words_of_bins(bins, order, look, first, i + 1), node,
                   limits, error_bound, b, found);
  }
  return leave();
}

}  // namespace dpdtree
