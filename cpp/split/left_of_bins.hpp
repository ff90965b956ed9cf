// Rows, or weight, of each class on the left of a node's bins, and what majorities get
// right there.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "split/accumulator_traits.hpp"
#include "split/loss_accumulators.hpp"
#include "split/node_bins.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

// Rows of each class on the left of a bin, bin after bin; the last ones are all there
// are. `missing_first`: the last of the bins comes before all others.
class LeftCounts {
 public:
  using Number = u32;
  LeftCounts(const NodeBins& bins, u32 f, std::size_t n_classes,
             bool missing_first = false)
      : n_classes_(n_classes), left_((bins.n_bins(f) + 1) * n_classes, 0) {
    const std::size_t joined = std::size_t{1} << bins.shift(f), m = bins.n_bins(f);
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t bin = joined * (missing_first ? (i + m - 1) % m : i);
      const u64* two = n_classes == 2 ? bins.counts(f) + bin : nullptr;
      const u32* more =
          n_classes == 2 ? nullptr : bins.class_counts(f, n_classes) + bin * n_classes;
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
  double weight(std::size_t bin) const { return rows(bin); }
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

// Weight of each class, and rows, on the left of a bin, bin after bin; the last ones
// are all there are. `missing_first`: as there.
class LeftWeights {
 public:
  using Number = double;

  LeftWeights(const NodeBins& bins, u32 f, std::size_t n_classes,
              bool missing_first = false)
      : n_classes_(n_classes),
        left_((bins.n_bins(f) + 1) * n_classes, 0.0),
        n_(bins.n_bins(f) + 1, 0) {
    const std::size_t joined = std::size_t{1} << bins.shift(f), m = bins.n_bins(f);
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t bin = joined * (missing_first ? (i + m - 1) % m : i);
      const u32* rows = bins.rows(f) + bin;
      const double* weights = bins.weights(f, n_classes) + bin * n_classes;
      const double* before = of(i);
      double* left = left_.data() + (i + 1) * n_classes;
      std::copy_n(before, n_classes, left);
      n_[i + 1] = n_[i];
      for (std::size_t j = 0; j < joined; ++j) {
        n_[i + 1] += *rows++;
        for (std::size_t k = 0; k < n_classes; ++k) left[k] += *weights++;
      }
    }
  }
  const double* of(std::size_t bin) const { return left_.data() + bin * n_classes_; }
  u32 rows(std::size_t bin) const { return n_[bin]; }
  double weight(std::size_t bin) const {
    return std::accumulate(of(bin), of(bin) + n_classes_, 0.0);
  }
  // As accumulators start.
  template <class A>
  void start(A& acc, std::size_t bin) const {
    acc.start(of(bin), rows(bin));
  }

 private:
  std::size_t n_classes_;
  std::vector<double> left_;
  std::vector<u32> n_;
};

template <class A>
using LeftOf = std::conditional_t<has_weights<A>(), LeftWeights, LeftCounts>;

// What the majorities of both sides of each edge get right, and at most of each split
// within a bin.
template <class Left>
struct ErrorBounds {
  using Number = typename Left::Number;
  std::array<Number, CoarseCodes::kBins + 1> edge, most_left, most_right;

  ErrorBounds(const Left& left, std::size_t m, std::size_t n_classes) {
    const Number* all = left.of(m);
    for (std::size_t i = 0; i <= m; ++i) {
      const Number* own = left.of(i);
      most_left[i] = most_right[i] = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        most_left[i] = std::max(most_left[i], own[k]);
        most_right[i] = std::max<Number>(most_right[i], all[k] - own[k]);
      }
      edge[i] = most_left[i] + most_right[i];
    }
  }
  Number within(std::size_t i) const { return most_left[i + 1] + most_right[i]; }
};

// Those of m bins within which more may be right.
template <class Left>
OpenBins open_for_errors(const Left& left, std::size_t m, std::size_t n_classes,
                         double correct) {
  OpenBins out(left, m);
  const ErrorBounds errors(left, m, n_classes);
  for (std::size_t i = 0; i < m; ++i)
    out.open[i] = !out.is_empty(i) && errors.within(i) > correct;
  return out;
}

template <class Left>
bool is_feasible(const Left& left, std::size_t bin, const NodeView& node,
                 const SplitLimits& limits) {
  const std::size_t n = left.rows(bin), least = limits.min_samples_leaf;
  const double w = left.weight(bin);
  return n >= least && node.n() - n >= least && w >= limits.min_weight_leaf &&
         node.weight - w >= limits.min_weight_leaf;
}

// The most that a split within open bins gets right.
template <class A>
double most_correct_within(const NodeBins& bins, u32 f, const Column& column,
                           const Targets& targets, const NodeView& node,
                           const SplitLimits& limits, const OpenBins& opened,
                           const LeftOf<A>& left, LeftSums& b) {
  const auto compare = [&](auto&& errors) {
    BlockBest none{0};
    if (!has_weights<A>()) none.score = std::numeric_limits<double>::max();
    compare_open(
        bins, f, column, targets, errors, node, limits, !has_weights<A>(), opened,
        [&](std::size_t first) { left.start(errors, first); }, b, none);
    return has_weights<A>() && none.found ? none.score : none.most_correct;
  };
  if constexpr (!has_weights<A>()) return compare(CountsOfErrors(targets, node.stats));
  if (targets.n_classes == 2) return compare(BinaryErrors<true>(targets, node.stats));
  return compare(WeightedErrors(targets, node.stats));
}

}  // namespace dpdtree
