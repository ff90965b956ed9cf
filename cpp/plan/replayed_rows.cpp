#include <algorithm>
#include <vector>

#include "plan/local_rows.hpp"

namespace dpdtree {

ReplayedRows::Found ReplayedRows::find(const NodeView& node) const {
  std::vector<const NodePath*> steps;
  for (const NodePath* p = node.path; p != nullptr; p = p->parent) steps.push_back(p);
  std::reverse(steps.begin(), steps.end());
  Found found{node, all_};
  for (const NodePath* step : steps) {
    const Column& column = problem_.columns[step->split.feature];
    visit_codes(column.code, [&](const auto* code) {
      visit_side(step->split.left_codes(column), [&](auto is_left) {
        std::erase_if(found.rows,
                      [&](Row r) { return is_left(code[r]) == step->right; });
      });
    });
  }
  found.view.rows = found.rows;
  found.view.sibling = {};
  return found;
}

FoundSplit ReplayedRows::best_split(SearchContext& worker, const NodeView& node,
                                    FeatureList& features, SearchTarget target,
                                    const SplitRequest& request) const {
  return local_.best_split(worker, find(node).view, features, target, request);
}

Children ReplayedRows::divide(SearchContext& worker, const NodeView& node, Split& split,
                              const ChildRoom& room) const {
  return local_.divide(worker, find(node).view, split, room);
}

Children ReplayedRows::child_sums(const NodeView& node, Split& split,
                                  double* stats) const {
  return local_.child_sums(find(node).view, split, stats);
}

double ReplayedRows::log_choices(SearchContext& worker, const NodeView& node,
                                 const Split& split) const {
  return local_.log_choices(worker, find(node).view, split);
}

bool ReplayedRows::sees_missing(const NodeView& node, u32 feature) const {
  return local_.sees_missing(find(node).view, feature);
}

void ReplayedRows::place_unseen(const NodeView& node, const NodeView& all,
                                Split& split) const {
  local_.place_unseen(find(node).view, find(all).view, split);
}

void ReplayedRows::place_unseen(const Sample& sample, const NodeView& all,
                                Split& split) const {
  local_.place_unseen(sample, find(all).view, split);
}

Sample ReplayedRows::sample(const SearchContext& worker, const NodeView& node,
                            std::size_t most, const std::vector<u32>& features) const {
  return local_.sample(worker, find(node).view, most, features);
}

}  // namespace dpdtree
