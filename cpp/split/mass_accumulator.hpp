// Any measure that is a function of sums, on any targets: the masses of both sides are
// computed in full at every boundary. The common cases have faster accumulators.
#pragma once

#include <limits>
#include <vector>

#include "objective/measure.hpp"
#include "split/accumulators.hpp"

namespace dpdtree {

class MassAccumulator {
 public:
  static constexpr bool kMajorityFromPrefix = false;
  static constexpr bool kTies = true;
  static constexpr double kLeastScore = -std::numeric_limits<double>::infinity();

  MassAccumulator(const Targets& t, std::span<const double> stats, Measure measure)
      : t_(t),
        total_(stats),
        left_(stats.size()),
        right_(stats.size()),
        measure_(measure),
        whole_(mass_of(measure, stats)) {
    if (measure == Measure::zero_one || measure == Measure::cost_matrix)
      tie_ = Measure::gini;
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
  void add_cell(const Cells& cells, u32 c) {
    n_ += static_cast<i32>(add_cell_to(left_.data(), t_, cells, c));
  }
  void emit(Boundaries& b, std::size_t j) {
    for (std::size_t i = 0; i < left_.size(); ++i) right_[i] = total_[i] - left_[i];
    b.n[j] = n_;
    b.w[j] = t_.total_weight(left_);
    b.majority[j] = 0;
    const bool allowed =
        t_.may_be_leaf(left_, total_) && t_.may_be_leaf(right_, total_);
    b.a[j] = allowed ? whole_ - mass_of(measure_, left_) - mass_of(measure_, right_)
                     : kLeastScore;
    b.b[j] = tie_ == measure_ ? 0 : -mass_of(tie_, left_) - mass_of(tie_, right_);
  }
  BestPlace best(const Boundaries& b, std::size_t lo, std::size_t hi,
                 double floor) const {
    BestPlace best{BestPlace::kNone, floor, kLeastScore};
    for (std::size_t i = lo; i < hi; ++i)
      if (b.a[i] > best.score ||
          (b.a[i] == best.score && b.b[i] > best.tie && best.place != BestPlace::kNone))
        best = {i, b.a[i], b.b[i]};
    return best;
  }
  static double decrease(double score) { return score; }

 private:
  double mass_of(Measure measure, std::span<const double> stats) const {
    return mass(measure, t_, {}, stats);
  }

  const Targets& t_;
  std::span<const double> total_;
  std::vector<double> left_, right_;
  Measure measure_;
  Measure tie_ = measure_;  // decides between equal scores
  double whole_;
  i32 n_ = 0;
};

}  // namespace dpdtree
