// Proof of optimality: the best of all trees of the given depth, anytime.
#pragma once

#include <optional>

#include "plan/objective.hpp"
#include "plan/plan.hpp"
#include "plan/search_context.hpp"
#include "prove/exact_search.hpp"

namespace dpdtree {

struct OptimalParams {
  Cost cost;
  ValueOrder order;
  u32 max_depth = 3;
  u32 first_depth = ~0u;  // trees of that depth are searched first, then deeper ones
  u64 max_leaves = ~0ULL;
  bool use_pair_search = true;  // where there are few
  u32 last_levels = 0;          // solved by `polish_bottoms`, if cheap ones are fewer
  ThreadPool* pool = nullptr;   // for proofs; may be null
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
                            const Solution& start, const Report& report);

// The same, where few yes/no questions tell the rows apart and make it cheap; nothing
// if there are many, or too many had to be followed. If `surely`, nothing unless it is
// known beforehand that it ends.
std::optional<OptimalResult> solve_cheaply(SearchContext& context,
                                           const OptimalParams& params,
                                           const NodeView& root,
                                           const FeatureList& features,
                                           const Solution& start, bool surely);

// A tree close to the best, where few yes/no questions tell the rows apart; nothing if
// there are many. Never returns a worse solution than it starts from.
std::optional<Solution> solve_nearly(SearchContext& context,
                                     const OptimalParams& params, const NodeView& root,
                                     const FeatureList& features,
                                     const Solution& start);

// Such trees for all prices of a split, the one of least loss last; the cost must have
// none. At any price the best of them is what a search at that price finds:
// `solve_nearly`, or with three levels at most a proof that is sure to end. Nothing if
// it is not.
std::vector<Solution> solve_nearly_for_all_prices(SearchContext& context,
                                                  const OptimalParams& params,
                                                  const NodeView& root,
                                                  const FeatureList& features);

// Solves every subtree of the start that has exactly two levels left (three, where few
// questions tell the rows apart, or as many as asked for) to optimality; the splits
// above them stay. Never returns a worse solution.
Solution polish_bottoms(SearchContext& context, const OptimalParams& params,
                        const NodeView& root, const FeatureList& features,
                        const Solution& start);

}  // namespace dpdtree
