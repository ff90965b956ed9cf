// Exact values of one-split trees for many subsets at once. A batch is up to sixteen
// cuts of one ordering; every cut divides the rows into a left and a right subset, and
// one pass over all orderings finds the best stump of all thirty-two subsets.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "prove/ranked_rows.hpp"

namespace dpdtree {

inline constexpr std::size_t kCuts = 16;
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

  // `cuts`: how many rows of that ordering are on the left, ascending. If the batch is
  // not full, out[cuts.size()] is about all rows.
  virtual void solve(const RankedRows& rows, u32 ordering, std::span<const u32> cuts,
                     std::array<SubsetLoss, kLanes>& out) = 0;

  // Of two classes: a row and ordering take less than a nanosecond.
  virtual bool is_cheap() const { return false; }
};

// A row's step is the number of the batch's cuts that it lies beyond. Calls
// visit(step, first, last) with the positions of each step in the batch's ordering.
template <class Visit>
void for_each_step(std::span<const u32> cuts, u32 n, Visit&& visit) {
  u32 first = 0;
  for (std::size_t j = 0; j <= cuts.size(); ++j) {
    const u32 last = j < cuts.size() ? cuts[j] : n;
    visit(j, first, last);
    first = last;
  }
}

// Picks the fastest one that fits: narrow lanes for unweighted rows without limits
// (vector instructions chosen at run time), doubles otherwise.
std::unique_ptr<StumpSolver> make_stump_solver(const ExactData& data,
                                               const StumpLimits& limits);

}  // namespace dpdtree
