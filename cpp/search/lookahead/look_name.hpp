// What a look ahead is known by, where a search runs again and again (KnownLooks).
#pragma once

#include <bit>
#include <vector>

#include "base/rng.hpp"
#include "search/lookahead/lookahead.hpp"

namespace dpdtree {

// Whatever it depends on, but for what the whole search has in common. A proposal has
// no splits.
inline Hash128 name_of_look(const LookaheadParams& p, const NodeView& state,
                            const std::vector<u32>& features,
                            const std::vector<Split>& splits = {}) {
  Hash128 name = state.key();
  const auto add = [&](u64 word) {
    name.lo = mix64(name.lo ^ word);
    name.hi = mix64(name.hi + name.lo);
  };
  for (const double v : {p.alpha, p.alpha_weight}) add(std::bit_cast<u64>(v));
  add((p.per_leaf ? 1u : 0u) + (p.all_alphas ? 2u : 0u) + 4 * u64{p.n_roots});
  add(features.size());
  for (const u32 f : features) add(f);
  for (const Split& split : splits) {
    add(u64{split.feature} << 32 | split.cut);
    add(static_cast<u64>(split.missing));
    const u32 n_codes = split.categories ? split.categories->capacity() : 0;
    for (u32 c = 0; c < n_codes; ++c) add(split.categories->contains(c) ? 1 : 0);
  }
  return name;
}

}  // namespace dpdtree
