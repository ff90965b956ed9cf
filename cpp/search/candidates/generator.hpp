// Candidate splits of a state. Every generator's first candidate is the greedy split,
// so that no tree of the dynamic program is worse than CART's.
#pragma once

#include <memory>
#include <vector>

#include "plan/search_context.hpp"

namespace dpdtree {

class Generator {
 public:
  virtual ~Generator() = default;

  // Splits of the state, all different; empty if it cannot be split. n is the number
  // asked for; `greedy` may hand over the best split if it is known.
  virtual std::vector<Split> candidates(SearchContext& context, const NodeView& state,
                                        FeatureList& features, u32 n,
                                        const FoundSplit* greedy) const = 0;

  // True if there are more candidates than one even where one is asked for.
  virtual bool ignores_count() const { return false; }
};

// The splits of a best-first CART tree with n internal nodes, grown on the state.
std::unique_ptr<Generator> make_cart_generator();

// The n splits of largest decrease; per_feature: the best of each feature only.
std::unique_ptr<Generator> make_top_b_generator(bool per_feature);

// Every split of the state, whatever n: for small data, and as an oracle in tests.
std::unique_ptr<Generator> make_exhaustive_generator();

// The CART nodes of two criteria: what one misses the other may propose.
std::unique_ptr<Generator> make_both_criteria_generator();

}  // namespace dpdtree
