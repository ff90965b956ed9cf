// Any criterion that is a function of sums, on any targets: the impurities of both
// sides are computed in full at every boundary. The common cases have faster
// accumulators.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "loss/criterion.hpp"
#include "split/accumulators.hpp"

namespace dpdtree {

class ImpurityAccumulator {
 public:
  static constexpr bool kMajorityFromPrefix = false;
  static constexpr bool kTies = true;
  static constexpr double kLeastScore = -std::numeric_limits<double>::infinity();

  ImpurityAccumulator(const Targets& t, std::span<const double> stats,
                      Criterion criterion)
      : t_(t),
        total_(stats),
        left_(stats.size()),
        right_(stats.size()),
        criterion_(criterion),
        whole_(impurity_of(criterion, stats)) {
    if (criterion == Criterion::zero_one || criterion == Criterion::cost_matrix)
      tie_ = Criterion::gini;
  }

  void start(const double* left, u32 n) {
    for (std::size_t i = 0; i < left_.size(); ++i)
      left_[i] = left != nullptr ? left[i] : 0;
    n_ = static_cast<i32>(n);
  }
  void add_class(u32 k) {
    left_[k] += 1;
    ++n_;
  }
  void add_row(Row r) {
    t_.add_row(r, left_.data());
    ++n_;
  }
  void add_cell(const CodeHistogram& cells, u32 c) {
    n_ += static_cast<i32>(add_cell_to(left_.data(), t_, cells, c));
  }
  void emit(LeftSums& b, std::size_t j) {
    for (std::size_t i = 0; i < left_.size(); ++i) right_[i] = total_[i] - left_[i];
    b.n[j] = n_;
    b.w[j] = t_.total_weight(left_);
    b.majority[j] = 0;
    const bool allowed =
        t_.may_be_leaf(left_, total_) && t_.may_be_leaf(right_, total_);
    b.a[j] = allowed ? whole_ - impurity_of(criterion_, left_) -
                           impurity_of(criterion_, right_)
                     : kLeastScore;
    b.b[j] =
        tie_ == criterion_ ? 0 : -impurity_of(tie_, left_) - impurity_of(tie_, right_);
  }
  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    BestBoundary best{BestBoundary::kNone, floor, kLeastScore};
    for (std::size_t i = lo; i < hi; ++i)
      if (b.a[i] > best.score || (b.a[i] == best.score && b.b[i] > best.tie &&
                                  best.boundary != BestBoundary::kNone))
        best = {i, b.a[i], b.b[i]};
    return best;
  }
  // What splits gain is not lost to rounding, see GiniAccumulator.
  static double decrease(double score) {
    return score == kLeastScore ? score : std::max(0.0, score);
  }

 private:
  double impurity_of(Criterion criterion, std::span<const double> stats) const {
    return impurity_sum(criterion, t_, {}, stats);
  }

  const Targets& t_;
  std::span<const double> total_;
  std::vector<double> left_, right_;
  Criterion criterion_;
  Criterion tie_ = criterion_;  // decides between equal scores
  double whole_;
  i32 n_ = 0;
};

}  // namespace dpdtree
