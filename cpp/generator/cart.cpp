#include <algorithm>

#include "generator/generator.hpp"
#include "generator/greedy.hpp"

namespace dpdtree {
namespace {

class CartGenerator final : public Generator {
 public:
  std::vector<Split> candidates(SearchContext& context, const NodeView& state,
                                FeatureList& features, u32 n,
                                const FoundSplit* greedy) const override {
    FoundSplit best = greedy != nullptr ? *greedy
                                        : context.find(state, features, false);
    if (!best.found) return {};
    if (n == 1) return {best.split};
    GreedyLimits limits;
    limits.max_splits = n;
    GreedyGrower grower(context);
    grower.grow(state, features, limits, &best);
    std::vector<Split> splits;
    for (const u32 index : grower.split_order()) {
      Split split = grower.nodes()[index].best.split;
      // Where the node saw no missing value the direction is the state's to choose.
      if (index != 0) split.missing = direction(context, grower.nodes()[index], split);
      const auto same = [&](const Split& s) { return s.same_rows(split); };
      if (std::none_of(splits.begin(), splits.end(), same)) splits.push_back(split);
    }
    return splits;
  }

 private:
  static Missing direction(const SearchContext& context, const GreedyNode& node,
                           const Split& split) {
    const Column& column = context.problem.columns[split.feature];
    if (column.n_missing == 0) return Missing::heavier;
    const bool seen = visit_codes(column.code, [&](const auto* code) {
      return std::any_of(node.view.rows.begin(), node.view.rows.end(), [&](Row r) {
        return code[r] == column.missing_code();
      });
    });
    return seen ? split.missing : Missing::heavier;
  }
};

}  // namespace

std::unique_ptr<Generator> make_cart_generator() {
  return std::make_unique<CartGenerator>();
}

}  // namespace dpdtree
