// Absolute errors and quantiles. The rows of a feature's order are only noted; at the
// end two passes give the losses of all left and of all right sides. Each starts with
// everything and takes rows away one by one: then a quantile moves only a little, along
// a linked list of the targets that are left. Without weights that is one step per row;
// with weights about mean weight ÷ weight near the quantile.
#pragma once

#include <limits>
#include <vector>

#include "loss/pinball.hpp"
#include "split/accumulators.hpp"
#include "split/ranked_targets.hpp"

namespace dpdtree {

// The loss about the quantile of a set that only gets smaller.
class ShrinkingSet {
 public:
  ShrinkingSet(std::vector<RankedTarget>& targets, double level);

  void remove(u32 rank, double weight);
  double loss() const;

 private:
  static constexpr u32 kNone = ~0u;
  void unlink(u32 rank);
  void settle();
  void step_up();
  void step_down();

  std::vector<RankedTarget>& t_;
  double level_;
  u32 at_ = kNone;  // the quantile; kNone: the set is empty
  double w_ = 0, wy_ = 0;
  double below_w_ = 0, below_wy_ = 0;  // of targets before `at_`
};

class PinballAccumulator {
 public:
  static constexpr bool kMajorityFromPrefix = false;
  static constexpr bool kNeedsRows = true;
  static constexpr double kLeastScore = -std::numeric_limits<double>::infinity();

  PinballAccumulator(const Targets& t, std::span<const double> stats, Pinball loss,
                     const RankedTargets& ranked)
      : t_(t), total_(stats), loss_(loss), ranked_(ranked), left_(stats.size()) {}

  void start(const double*, u32) {
    order_.clear();
    std::fill(left_.begin(), left_.end(), 0.0);
    w_ = 0;
  }
  void add_row(Row r) {
    order_.push_back(r);
    w_ += t_.weight_of(r);
    if (t_.log_sums()) t_.add_row(r, left_.data());
  }
  void emit(LeftSums& b, std::size_t j);

  // The scores of the boundaries [lo, hi), once their rows are known.
  void finish(LeftSums& b, std::size_t lo, std::size_t hi);

  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    BestBoundary best{BestBoundary::kNone, floor, 0};
    for (std::size_t i = lo; i < hi; ++i)
      if (b.a[i] > best.score) best = {i, b.a[i], 0};
    return best;
  }
  static double decrease(double score) { return score; }

 private:
  void add_losses(const RankedOutput& output, LeftSums& b, std::size_t lo,
                  std::size_t hi);
  void load_order(const RankedOutput& output);

  const Targets& t_;
  std::span<const double> total_;
  Pinball loss_;
  const RankedTargets& ranked_;
  std::vector<Row> order_;  // the rows on the left, in the order in which they came
  std::vector<double> left_;
  double w_ = 0;
  std::vector<RankedTarget> set_;
};

}  // namespace dpdtree
