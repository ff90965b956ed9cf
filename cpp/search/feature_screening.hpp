// Which of many features a costly search should be confined to.
#pragma once

#include "plan/search_context.hpp"
#include "plan/value.hpp"

namespace dpdtree {

// At most about `most` of the features: those the plan uses, and those whose own best
// split for the loss is best at the plan's nodes `depth` levels down.
FeatureList screened_features(SearchContext& context, const NodeView& root,
                              const FeatureList& features, const Plan& plan, u32 depth,
                              std::size_t most);

}  // namespace dpdtree
