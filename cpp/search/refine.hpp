// Coordinate descent on a finished plan, at exact thresholds: every split is chosen
// anew while the rest of the tree stays, until nothing improves.
#pragma once

#include "plan/objective.hpp"
#include "plan/plan.hpp"
#include "plan/search_context.hpp"

namespace dpdtree {

struct RefineParams {
  Cost cost;
  ValueOrder order;
  u32 max_depth = 3;
  u32 max_sweeps = 5;
  bool may_grow = true;  // false: no more leaves than the start has
};

// `sides` searches splits for Criterion::fixed_sides on `side_targets`, whose y the
// refinement overwrites (one entry per training row).
struct SideSearch {
  const SplitFinder& finder;
  Targets& targets;
};

class RemoteRows;

// Never returns a worse plan than it was given. `elsewhere`: where the rows are, if not
// in memory.
Solution refine(SearchContext& context, const SideSearch& sides,
                const RefineParams& params, const NodeView& root,
                const FeatureList& features, const Solution& start,
                const RemoteRows* elsewhere = nullptr);

}  // namespace dpdtree
