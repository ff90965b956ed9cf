#include "search/alternative_splits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/tolerance.hpp"
#include "search/candidates/merge.hpp"
#include "search/fronts.hpp"
#include "search/split_checks.hpp"

namespace dpdtree {
namespace {

constexpr u32 kManyLevels = 3;
constexpr u32 kFewRows = 1000;
constexpr u32 kSpare = 3;  // splits more than are asked for

std::unique_ptr<Generator> own_generator(const Search& s) {
  if (s.strategy == Strategy::paper) return generator_of(s.params.generator);
  if (s.strategy == Strategy::greedy) return make_cart_generator();
  return make_both_criteria_generator();
}

// Does the search below each split of the state? Small trees take little time, and so
// do the last levels of large ones where there are few rows.
bool takes_long(const Search& state) {
  if (state.strategy == Strategy::greedy ||
      (state.strategy == Strategy::paper && state.params.generator == "exhaustive"))
    return false;
  const u64 levels = u64{state.depth} + state.max_depth();
  return levels > kManyLevels &&
         (state.max_depth() >= kManyLevels || state.root.n() > kFewRows);
}

}  // namespace

AlternativeSplits::AlternativeSplits(const Search& s)
    : generator_(own_generator(s)), per_feature_(make_top_b_generator(true)) {
  const bool searches_all =
      s.strategy == Strategy::balanced || s.strategy == Strategy::optimal;
  if (searches_all && s.may_exhaust_levels() && !s.stop.stopped())
    lookahead_ = make_lookahead(s, s.objective, false);
}

std::vector<Split> AlternativeSplits::propose(const Search& state, u32 n,
                                              const Plan& own, bool spare) const {
  FeatureList features = state.features;
  SearchContext& context = state.context();
  const bool few = takes_long(state);
  const bool deep = state.max_depth() < kManyLevels;
  std::vector<Split> splits;
  // Near the leaves candidates are the best splits of single features anyway.
  if (!few || !deep)
    splits = generator_->candidates(context, state.root, features, n, nullptr);
  merge(splits, per_feature_->candidates(context, state.root, features,
                                         few ? n + kSpare : 2 * n, nullptr));
  if (own != nullptr)
    std::erase_if(splits, [&](const Split& s) { return s.same_rows(own->split); });
  // One of the n is the strategy's own.
  const std::size_t others = n - (own != nullptr ? 1 : 0);
  if (few && lookahead_ != nullptr && !deep)
    keep_promising(state, others + (spare ? 1 : 0), own, splits);
  else if (few && splits.size() > others + (spare ? kSpare : 1))
    splits.resize(others + (spare ? kSpare : 1));
  if (state.strategy == Strategy::greedy) return splits;
  return with_middles(state.rules, state.max_depth(), splits);
}

void AlternativeSplits::keep_promising(const Search& state, std::size_t most,
                                       const Plan& own,
                                       std::vector<Split>& splits) const {
  // Near-repetitions of what comes first are worth nothing, so that this is the first.
  if (own != nullptr) splits.insert(splits.begin(), own->split);
  const auto values =
      lookahead_->estimate(state.context(), state.root, state.features, splits);
  std::vector<std::size_t> order;
  for (std::size_t i = own != nullptr ? 1 : 0; i < splits.size(); ++i)
    if (std::isfinite(values[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  if (order.size() > most) order.resize(most);
  std::vector<Split> kept;
  for (const std::size_t i : order) kept.push_back(splits[i]);
  splits = std::move(kept);
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
