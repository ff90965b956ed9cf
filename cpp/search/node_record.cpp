#include "search/node_record.hpp"

#include <algorithm>
#include <cmath>

#include "data/round_threshold.hpp"
#include "loss/leaf.hpp"
#include "node/unseen_categories.hpp"

namespace dpdtree {
namespace {

// Bounds of monotone features: of one output, a mean or the share of a second class.
double mean_within_bounds(const NodeView& node) {
  return node.constraints->clamp(mean_of(node));
}

bool moved_by_bounds(const NodeView& node) {
  return node.constraints && node.constraints->bounded() &&
         mean_within_bounds(node) != mean_of(node);
}

// What the search rounded off.
void add_mean_rest(const Targets& t, const NodeView& node, std::vector<double>& means) {
  if (t.y_rest.empty()) return;
  for (std::size_t j = 0; j < means.size(); ++j) {
    double sum = 0;
    for (const Row r : node.rows)
      sum += t.weight_of(r) * t.y_rest[std::size_t{r} * t.n_outputs + j];
    means[j] += sum / node.weight;
  }
}

}  // namespace

std::vector<double> node_prediction(const Targets& t, Criterion loss,
                                    const NodeView& node) {
  const bool moved = moved_by_bounds(node);
  if (!t.classification()) {
    auto own = leaf_predictions(loss, t, node.rows, node.stats);
    add_mean_rest(t, node, own);
    if (moved) own[0] = mean_within_bounds(node);
    return own;
  }
  if (moved) {
    const double mean = mean_within_bounds(node);
    return {1 - mean, mean};
  }
  std::vector<double> shares(node.stats.begin(), node.stats.end());
  for (double& share : shares) share /= node.weight;
  return shares;
}

std::vector<double> node_value(const Problem& p, const Cost& cost,
                               const NodeView& node) {
  const Targets& t = p.targets;
  const std::vector<double> own = node_prediction(t, cost.loss, node);
  std::vector<double> value;
  if (!t.classification()) {
    for (std::size_t j = 0; j < own.size(); ++j)
      value.push_back(t.center[j] + t.y_scale * own[j]);
    return value;
  }
  u32 per_output = 0;
  for (u32 j = 0; j < t.n_outputs; ++j)
    per_output = std::max(per_output, t.first_class[j + 1] - t.first_class[j]);
  for (u32 j = 0; j < t.n_outputs; ++j) {
    value.insert(value.end(), own.begin() + t.first_class[j],
                 own.begin() + t.first_class[j + 1]);
    value.resize(std::size_t{j + 1} * per_output, 0.0);
  }
  return value;
}

// Infinite sums are of counts that are all zero, which are all alike: a proof for
// another loss than the Poisson deviance may leave such a leaf.
double node_impurity(const Cost& cost, const NodeView& node) {
  const double sum = cost.impurity(node);
  return std::isfinite(sum) ? sum / node.weight * cost.impurity_unit : 0;
}

double readable_threshold(const Problem& p, const Split& split,
                          std::span<const Row> node) {
  if (split.given) return split.threshold;
  const Column& column = p.columns[split.feature];
  const u32 cut = split.cut;
  u32 last = 0, next = column.n_values;  // one above the last left, the first right
  visit_codes(column.code, [&](const auto* code) {
    constexpr std::size_t kStretch = 1024;
    // Most large nodes have both codes next to the cut among their first rows.
    while (!node.empty() && (last < cut || next > cut)) {
      const std::size_t n = std::min(kStretch, node.size());
      for (const Row r : node.first(n)) {
        const u32 c = code[r];
        last = std::max(last, c < cut ? c + 1 : 0);
        next = std::min(next, c < cut ? column.n_values : c);
      }
      node = node.subspan(n);
    }
  });
  return threshold_next_to_cut(column, split, last, next);
}

double threshold_next_to_cut(const Column& column, const Split& split, u32 last,
                             u32 next) {
  if (last == 0 || next == column.n_values) return split.threshold;
  return round_threshold(column.upper_value(last - 1), column.value(next));
}

std::vector<i64> left_categories(const Problem& p, Split split,
                                 std::span<const Row> node,
                                 std::span<const Row> all_rows) {
  place_absent(p, node, all_rows, split);
  return categories_of(p.columns[split.feature], split);
}

std::vector<i64> categories_of(const Column& column, const Split& split) {
  std::vector<i64> left;
  for (u32 c = 0; c < column.n_values; ++c)
    if (split.categories->contains(c)) left.push_back(column.category[c]);
  std::sort(left.begin(), left.end());
  return left;
}

}  // namespace dpdtree
