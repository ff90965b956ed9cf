// The cuts of one ordering: which of them may still hold something better, in
// intervals between cuts with known bounds. A cut is the number of rows on its left;
// it is possible where a group of equal ranks ends.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "prove/ranked_rows.hpp"
#include "prove/solved.hpp"

namespace dpdtree {

// Both sides of a cut, solved.
struct SolvedCut {
  Solved left, right;
};

// Where an interval ends: bounds of both sides of that cut.
struct IntervalEnd {
  u32 cut = 0;
  double weight = 0;  // on the left
  double left = 0, right = 0;
  std::shared_ptr<const SolvedCut> solved = {};  // for deeper levels, if it was
  double any_left = 0, any_right = 0;            // bounds of trees of any depth
};

// The cuts from `first` up to but not including `last` are open. Both ends' bounds hold
// for all of them.
struct Interval {
  u32 first, last;
  IntervalEnd lo, hi;
  double bound = 0;
};

// What a row more costs at most: infinite where that is unknown.
struct RowCosts {
  double of_levels = std::numeric_limits<double>::infinity();
  double of_any_depth = std::numeric_limits<double>::infinity();
};

// What an interval has to beat, and by which means.
struct CloseParams {
  double target;
  double penalty;
  double floor;
  double row_cost;  // infinite: unknown
  double deep;      // what one side at least costs
};

class CutIntervals {
 public:
  CutIntervals(const ExactData& data, const RankedRows& rows, u32 ordering);

  u32 ordering() const { return ordering_; }
  bool closed() const { return open_.empty(); }
  double least_bound() const;
  double weight(u32 cut) const { return weight_.empty() ? cut : weight_[cut]; }
  u32 rank(u32 cut) const {
    return data_->rank[ordering_][(*order_)[cut - 1] & kRowMask];
  }

  // What is known of cuts of a subset of the rows (inner) or of a set around them, for
  // the same levels or more; either may be null. Before anything else.
  void learn(const KnownCuts* inner, const KnownCuts* outer, const RowCosts& costs);

  // What is known of cuts now.
  std::vector<KnownCut> known(const RowCosts& costs) const;

  // The number of rows up to that rank, if that cut is open; else 0.
  u32 open_cut(u32 rank) const;

  // The bounds of all rows on one side: where the first and the last interval end.
  void set_whole(const IntervalEnd& whole);

  // Drops what cannot contain a better cut: near an end by the cost of a row, as a
  // whole by the bounds of both ends.
  void close(const CloseParams& p);

  u32 least_bounded() const;  // the middle of the interval of that bound
  // Up to so many cuts over all open ones, and this one unless it is 0.
  std::vector<u32> spread(std::size_t most, u32 wanted) const;

  // The interval that holds the cut.
  const Interval& around(u32 cut) const;

  // Divides the intervals at cuts that have been evaluated.
  void divide(const std::vector<IntervalEnd>& evaluated, const RowCosts& costs);

  double best = std::numeric_limits<double>::infinity();  // value of the cuts so far
  // Bounds what was dropped, of any depth.
  double any_depth = std::numeric_limits<double>::infinity();

 private:
  bool possible(u32 cut) const { return ((*order_)[cut - 1] & kGroupEnd) != 0; }
  u32 first_above(const Interval& i, double w, bool strictly) const;
  double width(const Interval& i) const { return weight(i.last) - weight(i.first - 1); }
  void trim(Interval& i) const;
  u32 cut_after(u32 rank, u32 least, u32 most) const;
  void learn_from(const KnownCuts& from, bool inner, const RowCosts& costs);
  void open_between_known();
  void shrink(Interval& i, const CloseParams& p);
  u32 nearest(const Interval& i, double wanted) const;

  const ExactData* data_;
  const std::vector<u32>* order_;
  u32 ordering_;
  u32 n_;
  std::vector<double> weight_;  // of the first rows; empty: 1 each
  std::vector<Interval> open_;
  std::vector<IntervalEnd> known_;  // bounds of cuts, ascending
};

}  // namespace dpdtree
