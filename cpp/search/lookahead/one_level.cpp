#include <algorithm>
#include <vector>

#include "search/candidates/merge.hpp"
#include "search/lookahead/lookahead.hpp"

namespace dpdtree {
namespace {

// Nodes of a CART by the criterion, and of another by the loss, that are tried.
constexpr u32 kNodes = 4;

class OneLevelLookahead final : public Lookahead {
 public:
  explicit OneLevelLookahead(const LookaheadParams& params) : p_(params) {}

  std::vector<Split> propose(SearchContext& context, const NodeView& state,
                             const FeatureList& features) const override {
    std::vector<Split> out;
    FeatureList varying = features;
    for (const SearchTarget aim : {SearchTarget::criterion, SearchTarget::loss})
      merge(out, cart_splits(context, state, varying, kNodes, aim, nullptr));
    return out;
  }

  // Searches what a solver asks for next: these are known by then.
  std::vector<double> estimate(SearchContext& context, const NodeView& state,
                               const FeatureList& features,
                               const std::vector<Split>& splits) const override {
    std::vector<double> values;
    ChildBuffers buffers;
    for (Split split : splits) {
      const Children c =
          context.data.divide(context, state, split, buffers.make_room(state));
      values.push_back(value_of(context, c.left, features) +
                       value_of(context, c.right, features));
    }
    return values;
  }

 private:
  double leaf_loss(const SearchContext& context, const NodeView& s) const {
    return s.n() == 0 ? 0
                      : impurity_sum(p_.loss, context.problem.targets, s.rows, s.stats);
  }

  // As a leaf, or with the best split for the loss.
  double value_of(SearchContext& context, const NodeView& s,
                  const FeatureList& features) const {
    const double leaf = leaf_loss(context, s);
    if (s.n() == 0) return leaf;
    FeatureList varying = features;
    const FoundSplit found = context.find(s, varying, false, SearchTarget::loss);
    const double price = p_.per_leaf ? p_.alpha_weight : p_.alpha * s.weight;
    return found.found ? leaf - std::max(0.0, found.decrease - price) : leaf;
  }

  LookaheadParams p_;
};

}  // namespace

std::unique_ptr<Lookahead> make_one_level_lookahead(const LookaheadParams& params) {
  return std::make_unique<OneLevelLookahead>(params);
}

}  // namespace dpdtree
