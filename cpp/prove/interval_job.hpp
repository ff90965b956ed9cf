// A set of rows that is being searched, and what is known of it.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "prove/interval_search.hpp"

namespace dpdtree {

struct IntervalSearch::Job {
  const RankedRows& rows;
  u32 levels;
  const Neighbours& near;
  double penalty;
  ExactValue best;  // leaf, or the best split so far
  double incumbent = std::numeric_limits<double>::infinity();  // known from elsewhere
  double floor = 0;  // no tree of these levels is better
  double apart = 0;  // what any tree loses at least
  ExactChoice choice = {};
  bool is_root = false;
  double deep = 0;       // what one side of a better tree costs at least
  double any_floor = 0;  // of trees of any depth
  double any_depth = 0;  // of those with the cuts that were evaluated
  u64 left_leaves = 0, right_leaves = 0;        // how many leaves each side may have
  std::shared_ptr<const SolvedCut> whole = {};  // all rows on one side, one level less
  bool whole_known = false;
  std::vector<CutIntervals> features = {};

  // What an interval has to beat. The value under the limits decides, so that the
  // relaxed minimum below it is found on the way.
  double target() const { return std::min(best.value, incumbent); }
};

}  // namespace dpdtree
