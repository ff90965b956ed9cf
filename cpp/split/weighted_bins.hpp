// Bins of classes with weights, of which no sum takes rounding (see node_bins.hpp): so
// what is left of a boundary is the same whether it was added up row by row or bin by
// bin, or is what a sibling leaves of a parent.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "split/accumulators.hpp"
#include "split/feasible.hpp"
#include "split/left_of_bins.hpp"
#include "split/loss_accumulators.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

// Three and more classes; two have corners (see bin_search.hpp).
template <class A>
constexpr bool weighs_classes() {
  return std::is_same_v<A, GiniAccumulator> || std::is_same_v<A, WeightedErrors>;
}

// False where scores depend on how sums were reached: those of squares that are updated
// row by row are exact for whole numbers only, and not for too large ones.
template <class A>
bool exact_in_bins(const Targets& targets, const NodeView& node) {
  constexpr double kMostWeight = 90'000'000;  // its square is exact
  if constexpr (weighs_classes<A>())
    return GiniAccumulator::adds_afresh(targets) ||
           (targets.whole_weights && node.weight <= kMostWeight);
  return true;
}

// LeftSums [0, m) of `b` become those behind each of the m bins.
template <class A>
void write_edges(const LeftWeights& left, std::size_t m, A acc, LeftSums& b) {
  b.reserve(CoarseCodes::kBins, parts_written<A>());
  for (std::size_t i = 0; i < m; ++i) {
    left.start(acc, i + 1);
    acc.emit(b, i);
  }
}

// Of two classes: with the corners within the first m bins, as write_corners has them.
inline void write_corners_of_weights(const NodeBins& bins, u32 f, std::size_t m,
                                     bool missing_left, LeftSums& b) {
  b.reserve(3 * std::size_t{CoarseCodes::kBins}, LeftSums::Parts::weights_and_sums);
  const u32* rows = bins.rows(f);
  const double* weights = bins.weights(f, 2);
  const std::size_t each = std::size_t{1} << bins.shift(f), missing = m * each;
  u32 n = missing_left ? rows[missing] : 0;
  double s = missing_left ? weights[2 * missing + 1] : 0;
  double w = missing_left ? weights[2 * missing] + s : 0;
  for (std::size_t i = 0; i < m; ++i) {
    double zeros = 0, ones = 0;
    for (std::size_t j = 0; j < each; ++j, weights += 2) {
      n += *rows++;
      zeros += weights[0];
      ones += weights[1];
    }
    b.w[m + i] = w + ones;
    b.a[m + i] = s + ones;
    b.w[2 * m + i] = w + zeros;
    b.a[2 * m + i] = s;
    b.n[i] = static_cast<i32>(n);
    b.w[i] = w += zeros + ones;
    b.a[i] = s += ones;
  }
}

// By how much rounding may have moved the score of a split of two classes from what it
// is a bound of: the difference of two products, its square over the weight of the
// lighter side.
inline double slack_of_quotients(const NodeView& node, const Targets& targets,
                                 double score) {
  const double ratio = node.weight / targets.least_weight;
  return std::ldexp(node.weight, -48) * std::sqrt(std::max(0.0, score) * ratio) +
         std::ldexp(node.weight, -99) * node.weight * ratio;
}

// Scores of splits within each of m bins are not larger than if all of its rows were
// told apart, and those before it and behind it were leaves. LeftSums [0, m) of `b`
// become those behind each bin.
using WithinBins = std::array<double, CoarseCodes::kBins>;

template <class A>
void bound_scores(const LeftWeights& left, std::size_t m, const NodeView& node,
                  const A& acc, LeftSums& b, WithinBins& within)
  requires std::is_same_v<A, WeightedErrors>
{
  write_edges(left, m, acc, b);
  const ErrorBounds errors(left, m, node.stats.size());
  for (std::size_t i = 0; i < m; ++i) within[i] = errors.within(i);
}

inline void bound_scores(const LeftWeights& left, std::size_t m, const NodeView& node,
                         const GiniAccumulator&, LeftSums& b, WithinBins& within) {
  b.reserve(CoarseCodes::kBins, LeftSums::Parts::weights_and_sums);
  double before = 0, upto = 0;  // Σl²/w of the bins before; their weight
  for (std::size_t i = 0; i < m; ++i) {
    const double* own = left.of(i + 1);
    double squares = 0, of_rest = 0, weight = 0;
    for (std::size_t k = 0; k < node.stats.size(); ++k) {
      const double rest = node.stats[k] - own[k];
      squares += own[k] * own[k];
      of_rest += rest * rest;
      weight += own[k];
    }
    const double behind = node.weight - weight;
    within[i] = weight - upto + before + (behind > 0 ? of_rest / behind : 0);
    before = weight > 0 ? squares / weight : 0;
    upto = weight;
    b.n[i] = static_cast<i32>(left.rows(i + 1));
    b.w[i] = weight;
    b.a[i] = squares;
    b.b[i] = of_rest;
  }
}

// Adds what is known of a feature without a look into its bins: splits lie in those
// from `first` to `end` only.
template <class A>
void add_bounds(NodeBins& bins, u32 f, const A& acc, const LeftWeights& left,
                std::size_t first, std::size_t end, const NodeView& node,
                const SplitLimits& limits, bool errors, LeftSums& b) {
  const std::size_t m = bins.n_bins(f);
  WithinBins within;  // NOLINT(cppcoreguidelines-pro-type-member-init): the first m
  bound_scores(left, m, node, acc, b, within);
  const auto [lo, hi] = feasible(b, 0, m, true, node, limits);
  bins.score = std::max(bins.score, acc.best(b, lo, hi, A::kLeastScore).score);
  NodeBins::Bounds& most = bins.bounds(f);
  for (std::size_t i = first; i < end; ++i)
    most.score = std::max(most.score, within[i]);
  if (!errors) return;
  const ErrorBounds wrong(left, m, node.stats.size());
  for (std::size_t i = lo; i < hi; ++i)
    bins.correct = std::max(bins.correct, wrong.edge[i + 1]);
  for (std::size_t i = first; i < end; ++i)
    most.correct = std::max(most.correct, wrong.within(i));
}

template <class A>
void bound_bins(NodeBins& bins, u32 f, const A& acc, const Targets&,
                const NodeView& node, const SplitLimits& limits, bool errors,
                LeftSums& b)
  requires(weighs_classes<A>())
{
  const std::size_t m = bins.n_bins(f), n_classes = node.stats.size();
  const std::size_t present = bins.has_missing(f) ? m - 1 : m;
  const LeftWeights left(bins, f, n_classes);
  add_bounds(bins, f, acc, left, 0, present, node, limits, errors, b);
  bins.bounds(f).constant = left.rows(present) == 0;
  if (left.rows(present) == left.rows(m)) return;
  add_bounds(bins, f, acc, LeftWeights(bins, f, n_classes, true), 1, m, node, limits,
             errors, b);
}

// As search_bins of two classes.
template <class A>
bool search_bins(const NodeBins& bins, u32 f, const Column& column,
                 const Targets& targets, A& acc, const NodeView& node,
                 const SplitLimits& limits, bool error_bound, LeftSums& b,
                 BlockBest& found)
  requires(weighs_classes<A>())
{
  const double floor = found.score * (1 - kRounding);
  if (bins.closed(f, floor, error_bound)) return leave(bins, f, error_bound, found);
  if (bins.has_missing(f)) return false;
  const std::size_t m = bins.n_bins(f);
  const LeftWeights left(bins, f, node.stats.size());
  WithinBins within;  // NOLINT(cppcoreguidelines-pro-type-member-init): the first m
  bound_scores(left, m, node, acc, b, within);
  OpenBins opened(left, m);
  for (std::size_t i = 0; i < m; ++i)
    opened.open[i] = !opened.is_empty(i) && within[i] >= floor;
  if (!few_are_open<A>(bins, f, column.order, opened, node.n())) return false;
  if (error_bound) {
    const OpenBins wrong = open_for_errors(left, m, node.stats.size(), bins.correct);
    if (!few_are_open<A>(bins, f, column.order, wrong, node.n())) return false;
    found.most_correct =
        most_correct_within<A>(bins, f, column, targets, node, limits, wrong, left, b);
  }
  compare_open(
      bins, f, column, targets, acc, node, limits, false, opened,
      [&](std::size_t first) { left.start(acc, first); }, b, found);
  return leave(bins, f, error_bound, found);
}

}  // namespace dpdtree
