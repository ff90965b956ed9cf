#include "search/feature_screening.hpp"

#include <algorithm>
#include <numeric>

namespace dpdtree {
namespace {

class Screening {
 public:
  Screening(SearchContext& context, const FeatureList& features, std::size_t per_node)
      : c_(context),
        features_(features),
        per_node_(per_node),
        chosen_(context.problem.columns.size(), 0) {}

  void choose_used(const Plan& plan) {
    if (plan == nullptr) return;
    chosen_[plan->split.feature] = 1;
    choose_used(plan->left);
    choose_used(plan->right);
  }

  void choose_below(const NodeView& node, const Plan& plan, u32 depth) {
    if (depth == 0) return choose_at(node);
    if (plan == nullptr) return;
    Split split = plan->split;
    ChildBuffers buffers;
    const Children children = c_.data.divide(c_, node, split, buffers.make_room(node));
    choose_below(children.left, plan->left, depth - 1);
    choose_below(children.right, plan->right, depth - 1);
  }

  FeatureList chosen() const {
    auto out = std::make_shared<std::vector<u32>>();
    for (const u32 f : *features_)
      if (chosen_[f] != 0) out->push_back(f);
    return out;
  }

 private:
  void choose_at(const NodeView& node) {
    for (const u32 f :
         best_features(c_, node, features_, SearchTarget::loss, per_node_))
      chosen_[f] = 1;
  }

  SearchContext& c_;
  const FeatureList& features_;
  std::size_t per_node_;
  std::vector<u8> chosen_;
};

}  // namespace

std::vector<u32> best_features(SearchContext& context, const NodeView& node,
                               const FeatureList& features, SearchTarget target,
                               std::size_t most) {
  std::vector<double> scores;
  SplitRequest request;
  request.feature_scores = &scores;
  FeatureList unused = features;
  context.data.best_split(context, node, unused, target, request);
  if (scores.size() != features->size()) return {};
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(std::min(order.size(), most));
  std::vector<u32> best;
  for (const std::size_t i : order) best.push_back((*features)[i]);
  return best;
}

FeatureList screened_features(SearchContext& context, const NodeView& root,
                              const FeatureList& features, const Plan& plan, u32 depth,
                              std::size_t most) {
  if (features->size() <= most) return features;
  const std::size_t nodes = std::size_t{1} << std::min(depth, 16u);
  Screening screening(context, features, std::max<std::size_t>(most / nodes, 8));
  screening.choose_used(plan);
  screening.choose_below(root, plan, depth);
  return screening.chosen();
}

}  // namespace dpdtree
