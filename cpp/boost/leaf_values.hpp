// The values of a grown tree's nodes.
#pragma once

#include "boost/boosting_rows.hpp"
#include "hist/leaf_cost.hpp"
#include "hist/params.hpp"

namespace dpdtree::boosting {

// With the learning rate. Leaves ask the rows where the loss, or a first-order tree,
// needs more than the sums of the search.
std::vector<double> node_values(const GrownTree& tree, const LeafCost& cost, u32 output,
                                const BoostingRows& rows, const Loss& loss,
                                const Params& params);

}  // namespace dpdtree::boosting
