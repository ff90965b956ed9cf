// Accumulators that search splits for a loss itself rather than for a criterion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "split/accumulators.hpp"
#include "split/gini_counts.hpp"

namespace dpdtree {

// 0-1 loss: the score is the weight that the majorities of both sides get right. Many
// splits tie; the smaller Gini impurity decides.
template <class Base, class Correct>
BestBoundary most_correct_boundary(const Base& gini, const LeftSums& b, std::size_t lo,
                                   std::size_t hi, double floor, Correct correct) {
  using Number = decltype(correct(lo));
  Number top = 0;
  for (std::size_t i = lo; i < hi; ++i) top = std::max(top, correct(i));
  const double most = static_cast<double>(top);
  if (most < floor) return {BestBoundary::kNone, floor, 0};
  BestBoundary best{BestBoundary::kNone, most,
                    -std::numeric_limits<double>::infinity()};
  for (std::size_t i = lo; i < hi; ++i) {
    if (correct(i) < top) continue;
    double tie = 0;
    if constexpr (requires { gini.score(b, i); })
      tie = gini.score(b, i);
    else
      tie = gini.best(b, i, i + 1, Base::kLeastScore).score;
    if (tie > best.tie) best = {i, most, tie};
  }
  return best;
}

// Two classes.
template <bool Weighted>
class BinaryErrors : public PrefixAccumulator<Weighted, true> {
 public:
  using Base = PrefixAccumulator<Weighted, true>;
  BinaryErrors(const Targets& t, std::span<const double> stats)
      : Base(t, stats),
        ones_(stats[1]),
        weight_(stats[0] + stats[1]),
        largest_(std::max(stats[0], stats[1])) {}

  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    const Base& gini = *this;
    if constexpr (Base::kInteger) {
      const auto S = static_cast<i32>(ones_), W = static_cast<i32>(weight_);
      const i32 *count = b.count.data(), *n = b.n.data();
      return most_correct_boundary(gini, b, lo, hi, floor, [=](std::size_t i) {
        const i32 s = count[i], w = n[i];
        return std::max(s, w - s) + std::max(S - s, (W - w) - (S - s));
      });
    }
    const double S = ones_, W = weight_;
    return most_correct_boundary(gini, b, lo, hi, floor, [&b, S, W](std::size_t i) {
      const double s = b.a[i], w = b.w[i];
      return std::max(s, w - s) + std::max(S - s, (W - w) - (S - s));
    });
  }
  double decrease(double score) const { return score - largest_; }
  static constexpr double kLeastScore = -1;
  static constexpr bool kTies = true;

 private:
  double ones_, weight_, largest_;
};

// Any number of classes, with weights …
class WeightedErrors : public GiniAccumulator {
 public:
  using Base = GiniAccumulator;
  WeightedErrors(const Targets& t, std::span<const double> stats)
      : Base(t, stats), largest_(*std::max_element(stats.begin(), stats.end())) {}

  void emit(LeftSums& b, std::size_t j) const {
    Base::emit(b, j);
    b.majority[j] = largest_left() + largest_right();
  }
  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    const Base& gini = *this;
    return most_correct_boundary(gini, b, lo, hi, floor,
                                 [&b](std::size_t i) { return b.majority[i]; });
  }
  double decrease(double score) const { return score - largest_; }
  static constexpr double kLeastScore = -1;
  static constexpr bool kTies = true;

 private:
  double largest_;
};

// … and without.
class ClassErrors : public CountsOfErrors {
 public:
  using Base = CountsOfErrors;
  ClassErrors(const Targets& t, std::span<const double> stats)
      : Base(t, stats), largest_(*std::max_element(stats.begin(), stats.end())) {}

  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    const Base& gini = *this;
    return most_correct_boundary(gini, b, lo, hi, floor,
                                 [n = b.count.data()](std::size_t i) { return n[i]; });
  }
  double decrease(double score) const { return score - largest_; }
  static constexpr double kLeastScore = -1;
  static constexpr bool kTies = true;

 private:
  double largest_;
};

// Both subtrees are given: y is what a row costs on the left less what it costs on the
// right, and the best split has the smallest sum of y on its left.
class FixedSides : public PrefixAccumulator<false, false> {
 public:
  using Base = PrefixAccumulator<false, false>;
  using Base::Base;

  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    BestBoundary best{BestBoundary::kNone, floor, 0};
    for (std::size_t i = lo; i < hi; ++i)
      if (-b.a[i] > best.score) best = {i, -b.a[i], 0};
    return best;
  }
  double decrease(double score) const { return score; }
  static constexpr double kLeastScore = -std::numeric_limits<double>::infinity();
};

}  // namespace dpdtree
