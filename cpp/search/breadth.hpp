// How many splits of a state the dynamic program tries, and what it does at the last
// levels.
#pragma once

#include <algorithm>
#include <vector>

#include "search/lookahead/lookahead.hpp"

namespace dpdtree {

struct Breadth {
  u32 max_depth = 3;
  std::vector<u32> n_candidates;  // by depth; beyond the list 1
  bool prune = true;
  // Set (with exhaustive_last): two levels above the bottom take the roots of the
  // look-ahead, and with three levels left or more only the candidates that look best
  // are followed.
  const Lookahead* lookahead = nullptr;
  u32 followed_roots = 3;
  bool keep_roots = true;  // with a look-ahead: the plans of all splits of the root
  // The last level takes the best split for the loss at any threshold.
  bool exhaustive_last = false;

  u32 candidates_at(u32 depth) const {
    const u32 own = depth < n_candidates.size() ? n_candidates[depth] : 1;
    return exhaustive_last ? std::max(own, least_candidates_at(depth)) : own;
  }
  // Of a search that goes further than the published one. To look at candidates is
  // cheap; without a look-ahead all of them are followed.
  u32 least_candidates_at(u32 depth) const {
    const bool shallow = lookahead != nullptr || max_depth <= 3;
    if (depth == 0) return shallow ? 15 : 8;
    return lookahead == nullptr && shallow ? 8 : 1;
  }
  // Few, and one from the fourth level on: the time then grows with the depth only as
  // that of one tree does.
  u32 followed_at(u32 depth) const {
    if (depth == 0) return followed_roots;
    return depth < 3 ? 2 : 1;
  }
  // From this depth on every state has one candidate: the greedy tree, pruned.
  bool greedy_from(u32 depth) const {
    if (lookahead != nullptr || exhaustive_last) return false;
    for (std::size_t d = depth; d < n_candidates.size(); ++d)
      if (n_candidates[d] > 1) return false;
    return true;
  }
};

}  // namespace dpdtree
