// Exact values of one-split trees for many subsets at once. A batch is up to eight cuts
// of one ordering; every cut divides the rows into a left and a right subset, and one
// pass over all orderings finds the best stump of all sixteen subsets.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "solve/exact/ranked_rows.hpp"

namespace dpdtree {

inline constexpr std::size_t kCuts = 8;
inline constexpr std::size_t kLanes = 2 * kCuts;  // left subsets, then right ones

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

  // step[i] is the number of the batch's cuts that row i lies beyond (0 … n_cuts).
  virtual void solve(const RankedRows& rows, const std::vector<u8>& step,
                     std::size_t n_cuts, std::array<SubsetLoss, kLanes>& out) = 0;
};

// Picks the fastest one that fits: 16-bit lanes for unweighted rows without limits
// (vector instructions chosen at run time), doubles otherwise.
std::unique_ptr<StumpSolver> make_stump_solver(const ExactData& data,
                                               const StumpLimits& limits);

}  // namespace dpdtree
