// What children inherit from their parent: limits, feature groups, drawn features.
#include <algorithm>
#include <numeric>

#include "base/rng.hpp"
#include "hist/split_finder.hpp"

namespace dpdtree::boosting {

NodeContext SplitFinder::root(const Bin& total, u64 key) const {
  NodeContext node;
  node.total = total;
  node.key = key;
  node.groups.assign(params_->interaction_cst.size(), 1);
  choose_features(node);
  return node;
}

NodeContext SplitFinder::child(const NodeContext& parent, const FoundSplit& split,
                               bool left) const {
  NodeContext node = parent;
  const Bin right = parent.total - split.left;
  node.total = left ? split.left : right;
  node.depth = parent.depth + 1;
  node.key = mix64(2 * parent.key + (left ? 1 : 0));
  if (monotonic_) {
    const double middle =
        (cost_.value(split.left, parent) + cost_.value(right, parent)) / 2;
    const int sign = direction(split.rule.feature);
    if (sign != 0) ((sign > 0) == left ? node.upper : node.lower) = middle;
  }
  for (std::size_t g = 0; g < node.groups.size(); ++g) {
    const auto& group = params_->interaction_cst[g];
    if (std::find(group.begin(), group.end(), split.rule.feature) == group.end())
      node.groups[g] = 0;
  }
  choose_features(node);
  return node;
}

void SplitFinder::choose_features(NodeContext& node) const {
  const bool draw = params_->max_features < 1;
  if (!draw && node.groups.empty()) return;
  const u32 n = data_->n_features();
  node.allowed.assign(n, node.groups.empty() ? 1 : 0);
  for (std::size_t g = 0; g < node.groups.size(); ++g)
    if (node.groups[g] != 0)
      for (const u32 feature : params_->interaction_cst[g]) node.allowed[feature] = 1;
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
