// Exact values of one-split trees for many subsets at once: one pass over all orderings
// finds the best stump of all thirty-two subsets that the cuts of a batch make.
#pragma once

#include <array>
#include <limits>
#include <memory>

#include "prove/cut_batch.hpp"
#include "prove/ranked_rows.hpp"

namespace dpdtree {

// Losses, without any penalty. `stump`: of the best split that respects the limits;
// `relaxed`: of the best split whatever the limits (a bound that grows with the rows).
struct SubsetLoss {
  double leaf = 0;
  double stump = std::numeric_limits<double>::infinity();
  double relaxed = std::numeric_limits<double>::infinity();
  u32 n = 0;
  double weight = 0;
};

struct StumpLimits {
  u32 min_samples_leaf = 1;
  double min_weight_leaf = 0;
  u32 min_samples_split = 2;
};

class StumpSolver {
 public:
  virtual ~StumpSolver() = default;

  // Fills the lanes that have a cut, and kWholeLane.
  virtual void solve(const RankedRows& rows, const CutBatch& batch,
                     std::array<SubsetLoss, kLanes>& out) = 0;

  // Of two classes: a row and ordering take less than a nanosecond.
  virtual bool is_cheap() const { return false; }
};

// For anything; for two classes, and for three and more, with weights whose sums are
// exact, without limits.
std::unique_ptr<StumpSolver> make_general_stumps(const ExactData& data,
                                                 const StumpLimits& limits);
std::unique_ptr<StumpSolver> make_weighted_stumps(const ExactData& data);
std::unique_ptr<StumpSolver> make_weighted_class_stumps(const ExactData& data);

// Picks the fastest one that fits: narrow lanes for unweighted rows without limits
// (vector instructions chosen at run time), doubles otherwise.
std::unique_ptr<StumpSolver> make_stump_solver(const ExactData& data,
                                               const StumpLimits& limits);

}  // namespace dpdtree
