// Proof of optimality: the best of all trees of the given depth, anytime.
#pragma once

#include <functional>

#include "generator/context.hpp"
#include "solve/cost.hpp"
#include "solve/exact/threshold_search.hpp"
#include "solve/state_memo.hpp"

namespace dpdtree {

struct OptimalParams {
  Cost cost;
  ValueOrder order;
  u32 max_depth = 3;
  u64 max_leaves = ~0ULL;
};

struct OptimalResult {
  Solution solution;
  double lower_bound = 0;  // unnormalised, of any tree of that depth
  bool proven = false;
  u64 evaluations = 0;
};

// Starts from a known solution and never returns a worse one.
OptimalResult solve_optimal(SearchContext& context, const OptimalParams& params,
                            const NodeView& root, const FeatureList& features,
                            const Solution& start,
                            const std::function<void(Progress)>& report);

// Solves every subtree of the start that has exactly two levels left to optimality; the
// splits above them stay. Never returns a worse solution.
Solution polish_two_levels(SearchContext& context, const OptimalParams& params,
                           const NodeView& root, const FeatureList& features,
                           const Solution& start);

}  // namespace dpdtree
