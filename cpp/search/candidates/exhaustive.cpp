#include "search/candidates/generator.hpp"
#include "search/candidates/merge.hpp"

namespace dpdtree {
namespace {

class ExhaustiveGenerator final : public Generator {
 public:
  std::vector<Split> candidates(SearchContext& context, const NodeView& state,
                                FeatureList& features, u32 /*n*/,
                                const FoundSplit* greedy) const override {
    const FoundSplit best =
        greedy != nullptr ? *greedy : context.find(state, features, false);
    if (!best.found) return {};
    std::vector<Split> splits{best.split};
    const SplitVisitor visit = [&](const Split& split, double) {
      if (!split.same_rows(best.split)) splits.push_back(split);
    };
    SplitRequest request;
    request.visit_all = &visit;
    context.data.best_split(context, state, features, SearchTarget::criterion, request);
    return splits;
  }

  bool ignores_count() const override { return true; }
};

}  // namespace

std::unique_ptr<Generator> make_exhaustive_generator() {
  return std::make_unique<ExhaustiveGenerator>();
}

}  // namespace dpdtree
