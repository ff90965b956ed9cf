// A look ahead of a state: which splits are worth to be followed.
#pragma once

#include <memory>
#include <vector>

#include "plan/search_context.hpp"

namespace dpdtree {

class Lookahead {
 public:
  virtual ~Lookahead() = default;
  // The splits to try; none if the state is too small to tell.
  virtual std::vector<Split> propose(SearchContext& context, const NodeView& state,
                                     const FeatureList& features) const = 0;

  // Rough values of the given splits of a state, for choosing among them. Infinite for
  // near-repetitions.
  virtual std::vector<double> estimate(SearchContext& context, const NodeView& state,
                                       const FeatureList& features,
                                       const std::vector<Split>& splits) const = 0;
};

struct LookaheadParams {
  Criterion loss = Criterion::zero_one;
  double alpha = 0;
  double alpha_weight = 0;  // alpha times the whole weight
  bool per_leaf = false;    // complexity counts leaves, not passed splits
  bool all_alphas = false;  // also propose what is best for larger alphas
  u32 n_roots = 3;
};

// Two levels, by pair histograms of all pairs of features on local bins.
std::unique_ptr<Lookahead> make_pairwise_lookahead(const LookaheadParams& params);

// One level, for any loss: both sides of a split are worth their best stumps.
std::unique_ptr<Lookahead> make_one_level_lookahead(const LookaheadParams& params);

}  // namespace dpdtree
