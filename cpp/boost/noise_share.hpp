// How much of the targets is noise, as far as one tree can tell.
#pragma once

#include "boost/grown_tree.hpp"
#include "hist/params.hpp"

namespace dpdtree::boosting {

// What the tree is grown with: large enough for what one tree can tell, and leaves of
// some rows, since a description does not say how well a mean is known.
inline constexpr u32 kProbeLeaves = 64;
inline constexpr double kProbeLeafRows = 5;

// One greedy tree whose leaf values are not penalised; constraints stay.
Params probe_params(Params params, double row_hessian);

// The targets of a fit that has just begun: their squared deviations, over the hessian
// of one row, and the number of rows that they stand for.
struct Deviations {
  double squares = 0;
  double n_rows = 0;
};

// The share of the deviations that is left in the leaves of a tree that was grown leaf
// by leaf, pruned to as many splits as pay for their descriptions: n/2 ln(deviations),
// a Gaussian code, and ln p + ln T nats for each split (p features, T splits of that
// feature). It needs no rows that were left out, so it does not depend on a draw: on
// rows that tell nothing it is 1.
double noise_share(const GrownTree& tree, const BinnedData& data, const Units& units,
                   const Deviations& deviations);

}  // namespace dpdtree::boosting
