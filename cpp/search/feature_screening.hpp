// Which of many features a costly search should be confined to.
#pragma once

#include "plan/plan.hpp"
#include "plan/search_context.hpp"

namespace dpdtree {

// The features whose own best split of the node is best, by the target; the best first,
// at most so many. None if the search was stopped or nothing can be split.
std::vector<u32> best_features(SearchContext& context, const NodeView& node,
                               const FeatureList& features, SearchTarget target,
                               std::size_t most);

// At most about `most` of the features: those the plan uses, and those whose own best
// split for the loss is best at the plan's nodes `depth` levels down.
FeatureList screened_features(SearchContext& context, const NodeView& root,
                              const FeatureList& features, const Plan& plan, u32 depth,
                              std::size_t most);

}  // namespace dpdtree
