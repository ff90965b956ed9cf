// What children inherit from their parent: limits, feature groups, drawn features.
#include <algorithm>

#include "base/rng.hpp"
#include "hist/split_finder.hpp"

namespace dpdtree::boosting {

NodeContext SplitFinder::root(const GradientSum& total, u64 key) const {
  NodeContext node;
  node.total = total;
  node.key = key;
  node.open_groups = all_groups(params_->interaction_cst);
  choose_features(node);
  return node;
}

NodeContext SplitFinder::child(const NodeContext& parent, const FoundSplit& split,
                               bool left) const {
  NodeContext node = parent;
  const GradientSum right = parent.total - split.left;
  node.total = left ? split.left : right;
  node.depth = parent.depth + 1;
  node.key = mix64(2 * parent.key + (left ? 1 : 0));
  if (monotonic_) {
    const double middle =
        (cost_.value(split.left, parent) + cost_.value(right, parent)) / 2;
    node.bounds.narrow(direction(split.rule.feature), left, middle);
  }
  node.open_groups =
      groups_with(params_->interaction_cst, parent.open_groups, split.rule.feature);
  choose_features(node);
  return node;
}

void SplitFinder::choose_features(NodeContext& node) const {
  const bool draw = params_->max_features < 1;
  const FeatureGroups& groups = params_->interaction_cst;
  if (!draw && groups.empty()) return;
  const u32 n = data_->n_features();
  node.allowed =
      groups.empty() ? FeatureMask(n, u8{1}) : features_of(groups, node.open_groups, n);
  if (!draw) return;
  std::vector<u32> candidates;
  for (u32 f = 0; f < n; ++f)
    if (node.allowed[f] != 0) candidates.push_back(f);
  const auto size = static_cast<double>(candidates.size());
  const auto keep = static_cast<u32>(std::max(1.0, size * params_->max_features));
  CounterRng rng(params_->seed, {node.key, 0x6665617475726573ULL});
  for (u32 i = 0; i < candidates.size(); ++i) {
    const u32 rest = static_cast<u32>(candidates.size()) - i;
    if (i < keep) std::swap(candidates[i], candidates[i + rng.below(rest)]);
    if (i >= keep) node.allowed[candidates[i]] = 0;
  }
}

}  // namespace dpdtree::boosting
