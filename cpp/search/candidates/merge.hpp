// Lists of candidate splits without repetition.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/search_context.hpp"

namespace dpdtree {

inline void add_new(std::vector<Split>& splits, const Split& split) {
  const auto same = [&](const Split& s) { return s.same_rows(split); };
  if (std::none_of(splits.begin(), splits.end(), same)) splits.push_back(split);
}

inline void merge(std::vector<Split>& splits, const std::vector<Split>& more) {
  for (const Split& split : more) add_new(splits, split);
}

// The splits of a best-first CART with n internal nodes, searched for the given aim.
std::vector<Split> cart_splits(SearchContext& context, const NodeView& state,
                               FeatureList& features, u32 n, SearchTarget aim,
                               const FoundSplit* best);

}  // namespace dpdtree
