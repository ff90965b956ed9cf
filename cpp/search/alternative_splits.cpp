#include "search/alternative_splits.hpp"

#include "base/tolerance.hpp"
#include "search/candidates/merge.hpp"
#include "search/fronts.hpp"
#include "search/split_checks.hpp"

namespace dpdtree {
namespace {

std::unique_ptr<Generator> own_generator(const Search& s) {
  if (s.strategy == Strategy::paper) return generator_of(s.params.generator);
  if (s.strategy == Strategy::greedy) return make_cart_generator();
  return make_both_criteria_generator();
}

// Every split of a monotone feature with each of its middles.
std::vector<Split> with_all_middles(const Search& s, const std::vector<Split>& splits) {
  std::vector<Split> out;
  for (Split split : splits) {
    const bool directed =
        s.strategy != Strategy::greedy && s.rules.direction(split.feature) != 0;
    for (int choice = 0; choice < (directed ? s.rules.n_middles() : 1); ++choice) {
      split.middle_choice = static_cast<u8>(choice);
      out.push_back(split);
    }
  }
  return out;
}

}  // namespace

AlternativeSplits::AlternativeSplits(const Search& s)
    : generator_(own_generator(s)), per_feature_(make_top_b_generator(true)) {}

std::vector<Split> AlternativeSplits::propose(const Search& state, u32 n,
                                              const Plan& own) const {
  FeatureList features = state.features;
  SearchContext& context = state.context();
  std::vector<Split> splits =
      generator_->candidates(context, state.root, features, n, nullptr);
  merge(splits,
        per_feature_->candidates(context, state.root, features, 2 * n, nullptr));
  if (own != nullptr)
    std::erase_if(splits, [&](const Split& s) { return s.same_rows(own->split); });
  return with_all_middles(state, splits);
}

bool AlternativeSplits::allowed(const Search& state, const Children& children,
                                const Split& split) const {
  const NodeView& node = state.root;
  if (!within_limits(state.limits, node, children) ||
      repeats_middle(node, children, split))
    return false;
  const double least = state.limits.min_decrease;
  if (least <= 0) return true;
  const Cost& cost = state.objective;
  return reaches(cost.impurity(node) - cost.impurity(children.left) -
                     cost.impurity(children.right),
                 least);
}

}  // namespace dpdtree
