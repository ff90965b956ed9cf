// Bins of classes for entropy, with weights or without (see node_bins.hpp). What tells
// which bins are opened is rounded otherwise than scores are, so it is compared with
// some slack; scores themselves are computed within open bins only, and as everywhere
// else.
//
// Two classes: the score of a split within a bin is largest at an edge of the bin, or
// with all rows of one class first. More of them: no split leaves less entropy than the
// rows before the bin and those behind it have.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "split/left_of_bins.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

using EntropyCounts = EntropyAccumulator<false>;
using EntropyWeights = EntropyAccumulator<true>;

template <class A>
constexpr bool is_entropy() {
  return std::is_same_v<A, EntropyCounts> || std::is_same_v<A, EntropyWeights>;
}

// Of scores, that of a node, and of all that they are rounded by.
inline double slack_of(const NodeView& node) { return std::ldexp(node.weight, -36); }

template <class Left>
class EntropyBounds {
 public:
  using Number = typename Left::Number;
  static constexpr std::size_t kBins = CoarseCodes::kBins;
  std::size_t m;
  Left left;
  std::array<double, kBins + 1> edge;  // the score of a split before each bin
  std::array<double, kBins> within;    // no split in the bin has a larger one

  EntropyBounds(const NodeBins& bins, u32 f, const Targets& targets)
      : EntropyBounds(bins.n_bins(f), Left(bins, f, targets.n_classes), targets) {}
  EntropyBounds(std::size_t n_bins, Left left_of_bins, const Targets& targets)
      : m(n_bins),
        left(std::move(left_of_bins)),
        table_(targets.xlogx_table.data()),
        n_classes_(targets.n_classes) {
    std::array<double, kBins + 1> before{}, behind{};  // less their entropies
    const Number* all = left.of(m);
    std::vector<Number> rest(n_classes_);
    for (std::size_t i = 0; i <= m; ++i) {
      const Number* own = left.of(i);
      for (std::size_t k = 0; k < n_classes_; ++k) rest[k] = all[k] - own[k];
      before[i] = negative_entropy(own);
      behind[i] = negative_entropy(rest.data());
      edge[i] = before[i] + behind[i];
    }
    for (std::size_t i = 0; i < m; ++i)
      within[i] = n_classes_ == 2 ? most_of_two(i) : before[i] + behind[i + 1];
  }

 private:
  double term(u32 x) const { return table_[x]; }
  double term(double x) const { return xlogx(x); }
  double negative_entropy(const Number* counts) const {
    double sum = 0;
    Number n = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      sum += term(counts[k]);
      n += counts[k];
    }
    return sum - term(n);
  }
  double most_of_two(std::size_t i) const {
    const Number *a = left.of(i), *b = left.of(i + 1), *all = left.of(m);
    const auto with = [&](Number zeros, Number ones) {
      const Number sides[4] = {zeros, ones, all[0] - zeros, all[1] - ones};
      return negative_entropy(sides) + negative_entropy(sides + 2);
    };
    return std::max({edge[i], edge[i + 1], with(a[0], b[1]), with(b[0], a[1])});
  }

  const double* table_;
  std::size_t n_classes_;
};

// Adds what is known of a feature without a look into its bins: splits lie in those
// from `first` to `end` only.
template <class Left>
void add_bounds(NodeBins& bins, u32 f, const EntropyBounds<Left>& own,
                std::size_t first, std::size_t end, const Targets& targets,
                const NodeView& node, const SplitLimits& limits, bool errors) {
  NodeBins::Bounds& most = bins.bounds(f);
  for (std::size_t i = first; i < end; ++i)
    most.score = std::max(most.score, own.within[i]);
  for (std::size_t i = 1; i < own.m; ++i)
    if (is_feasible(own.left, i, node, limits))
      bins.first_floor = std::max(bins.first_floor, own.edge[i] - 2 * slack_of(node));
  if (!errors) return;
  const ErrorBounds wrong(own.left, own.m, targets.n_classes);
  for (std::size_t i = 1; i < own.m; ++i)
    if (is_feasible(own.left, i, node, limits))
      bins.correct = std::max<double>(bins.correct, wrong.edge[i]);
  if (bins.layout(f) == CoarseCodes::Layout::own) return;
  for (std::size_t i = first; i < end; ++i)
    most.correct = std::max<double>(most.correct, wrong.within(i));
}

template <class A>
void bound_bins(NodeBins& bins, u32 f, const A&, const Targets& targets,
                const NodeView& node, const SplitLimits& limits, bool errors, LeftSums&)
  requires(is_entropy<A>())
{
  const EntropyBounds<LeftOf<A>> own(bins, f, targets);
  const std::size_t m = own.m, present = bins.has_missing(f) ? m - 1 : m;
  NodeBins::Bounds& most = bins.bounds(f);
  most.score = -std::numeric_limits<double>::infinity();
  add_bounds(bins, f, own, 0, present, targets, node, limits, errors);
  if (present < m && own.left.rows(present) < own.left.rows(m)) {
    LeftOf<A> left(bins, f, targets.n_classes, true);
    const EntropyBounds<LeftOf<A>> other(m, std::move(left), targets);
    add_bounds(bins, f, other, 1, m, targets, node, limits, errors);
  }
  std::size_t first = 0;
  while (own.left.rows(first + 1) == 0) ++first;
  most.constant = first == present || (bins.layout(f) == CoarseCodes::Layout::own &&
                                       own.left.rows(first + 1) == own.left.rows(m));
}

// Where values have bins of their own: all boundaries lie between bins.
template <class A>
void compare_own(const LeftOf<A>& left, std::size_t m, A& acc, const NodeView& node,
                 const SplitLimits& limits, LeftSums& b, BlockBest& found) {
  b.reserve(m, parts_written<A>());
  for (std::size_t i = 0; i < m; ++i) {
    left.start(acc, i + 1);
    acc.emit(b, i);
  }
  compare_own(acc, b, m, node, limits, found);
}

// As search_bins of Gini.
template <class A>
bool search_bins(const NodeBins& bins, u32 f, const Column& column,
                 const Targets& targets, A& acc, const NodeView& node,
                 const SplitLimits& limits, bool error_bound, LeftSums& b,
                 BlockBest& found)
  requires(is_entropy<A>())
{
  const double floor = found.score - slack_of(node);
  if (bins.closed(f, floor, error_bound)) return leave(bins, f, error_bound, found);
  if (bins.has_missing(f)) return false;
  const EntropyBounds<LeftOf<A>> own(bins, f, targets);
  if (bins.layout(f) == CoarseCodes::Layout::own) {
    compare_own(own.left, own.m, acc, node, limits, b, found);
    return leave(bins, f, error_bound, found);
  }
  OpenBins opened(own.left, own.m);
  for (std::size_t i = 0; i < own.m; ++i)
    opened.open[i] = !opened.is_empty(i) && own.within[i] >= floor;
  if (!few_are_open<A>(bins, f, column.order, opened, node.n())) return false;
  if (error_bound) {
    const OpenBins wrong =
        open_for_errors(own.left, own.m, targets.n_classes, bins.correct);
    if (!few_are_open<A>(bins, f, column.order, wrong, node.n())) return false;
    found.most_correct = most_correct_within<A>(bins, f, column, targets, node, limits,
                                                wrong, own.left, b);
  }
  compare_open(
      bins, f, column, targets, acc, node, limits, false, opened,
      [&](std::size_t first) { own.left.start(acc, first); }, b, found);
  return leave(bins, f, error_bound, found);
}

}  // namespace dpdtree
