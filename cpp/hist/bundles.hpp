// Columns that are never away from their most frequent bin in the same row (one-hot
// columns, say) can share one column of codes; nothing is lost.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "hist/binner.hpp"

namespace dpdtree::boosting {

// A feature's part of a bundle: its bins other than the most frequent one have the
// codes offset … offset + n_values - 2, in order; every other code is that bin.
struct Member {
  u32 feature = 0;
  u32 offset = 0;
  u32 default_bin = 0;

  u32 code_of(u32 bin) const { return offset + (bin < default_bin ? bin : bin - 1); }
};

using Bundle = std::vector<Member>;

// Bundles of at least two features without missing values; the others are in none.
std::vector<Bundle> find_bundles(const MatrixView& x,
                                 const std::vector<FeatureBins>& bins,
                                 ThreadPool& pool);

}  // namespace dpdtree::boosting
