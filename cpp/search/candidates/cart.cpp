#include <limits>

#include "search/candidates/generator.hpp"
#include "search/candidates/greedy.hpp"
#include "search/candidates/merge.hpp"

namespace dpdtree {
namespace {

// Where a node of the small tree saw no missing value, the direction of missing values
// is for the state to choose.
Missing direction(const SearchContext& context, const GreedyNode& node,
                  const Split& split) {
  const bool seen = context.data.sees_missing(node.view, split.feature);
  return seen ? split.missing : Missing::heavier;
}

class CartGenerator final : public Generator {
 public:
  std::vector<Split> candidates(SearchContext& context, const NodeView& state,
                                FeatureList& features, u32 n,
                                const FoundSplit* greedy) const override {
    return cart_splits(context, state, features, n, SearchTarget::criterion, greedy);
  }
};

}  // namespace

std::vector<Split> cart_splits(SearchContext& context, const NodeView& state,
                               FeatureList& features, u32 n, SearchTarget aim,
                               const FoundSplit* best) {
  const FoundSplit root =
      best != nullptr ? *best : context.find(state, features, false, aim);
  if (!root.found) return {};
  if (n == 1) return {root.split};
  GreedyLimits limits;
  limits.max_splits = n;
  GreedyGrower grower(context, aim, Below::same);
  grower.grow(state, features, limits, &root);
  std::vector<Split> splits;
  for (const u32 index : grower.split_order()) {
    Split split = grower.nodes()[index].best.split;
    split.middle = std::numeric_limits<double>::quiet_NaN();  // the state's own
    if (index != 0) {
      const GreedyNode& node = grower.nodes()[index];
      context.data.place_unseen(node.view, state, split);
      split.missing = direction(context, node, split);
    }
    add_new(splits, split);
  }
  return splits;
}

std::unique_ptr<Generator> make_cart_generator() {
  return std::make_unique<CartGenerator>();
}

}  // namespace dpdtree
