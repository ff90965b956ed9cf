#include "search/feature_screening.hpp"

#include <algorithm>
#include <numeric>

namespace dpdtree {
namespace {

class Chooser {
 public:
  Chooser(SearchContext& context, const FeatureList& features, const Plan& plan,
          std::size_t per_node)
      : c_(context),
        features_(features),
        plan_(plan),
        per_node_(per_node),
        chosen_(context.problem.columns.size(), 0) {
    for (const PlanNode& node : plan)
      if (node.right > 0) chosen_[node.split.feature] = 1;
  }

  void visit(const NodeView& node, std::size_t at, u32 depth) {
    if (depth == 0) return choose_at(node);
    if (plan_[at].right == 0) return;
    Split split = plan_[at].split;
    std::vector<Row> rows(node.rows.size());
    std::vector<double> stats(2 * node.stats.size());
    const Children children =
        split_node(c_.problem, node, split, rows.data(), c_.spare_rows, stats.data(),
                   stats.data() + node.stats.size());
    visit(children.left, at + 1, depth - 1);
    visit(children.right, at + plan_[at].right, depth - 1);
  }

  FeatureList chosen() const {
    auto out = std::make_shared<std::vector<u32>>();
    for (const u32 f : *features_)
      if (chosen_[f] != 0) out->push_back(f);
    return out;
  }

 private:
  void choose_at(const NodeView& node) {
    std::vector<double> scores;
    SplitRequest request;
    request.feature_scores = &scores;
    FeatureList unused = features_;
    c_.finders[SearchTarget::loss].finder->find(node, unused, request, c_.scratch,
                                                c_.poller);
    if (scores.size() != features_->size()) return;  // stopped, or nothing to split
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return scores[a] > scores[b];
    });
    order.resize(std::min(order.size(), per_node_));
    for (const std::size_t i : order) chosen_[(*features_)[i]] = 1;
  }

  SearchContext& c_;
  const FeatureList& features_;
  const Plan& plan_;
  std::size_t per_node_;
  std::vector<u8> chosen_;
};

}  // namespace

FeatureList screened_features(SearchContext& context, const NodeView& root,
                              const FeatureList& features, const Plan& plan, u32 depth,
                              std::size_t most) {
  if (features->size() <= most) return features;
  const std::size_t nodes = std::size_t{1} << std::min(depth, 16u);
  Chooser chooser(context, features, plan, std::max<std::size_t>(most / nodes, 8));
  chooser.visit(root, 0, depth);
  return chooser.chosen();
}

}  // namespace dpdtree
