#include "search/candidates/generator.hpp"
#include "search/candidates/merge.hpp"

namespace dpdtree {
namespace {

class BothCriteriaGenerator final : public Generator {
 public:
  std::vector<Split> candidates(SearchContext& context, const NodeView& state,
                                FeatureList& features, u32 n,
                                const FoundSplit* greedy) const override {
    std::vector<Split> splits =
        cart_splits(context, state, features, n, SearchTarget::criterion, greedy);
    if (splits.empty() || n == 1 || !context.finders.has(SearchTarget::second))
      return splits;
    merge(splits,
          cart_splits(context, state, features, n, SearchTarget::second, nullptr));
    return splits;
  }
};

}  // namespace

std::unique_ptr<Generator> make_both_criteria_generator() {
  return std::make_unique<BothCriteriaGenerator>();
}

}  // namespace dpdtree
