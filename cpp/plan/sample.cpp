#include "plan/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpdtree {
namespace {

constexpr double kFewDraws = 2000;
constexpr double kOften = 64;

std::vector<Row> spread(std::span<const Row> rows, std::size_t most) {
  if (rows.size() <= most) return {rows.begin(), rows.end()};
  std::vector<Row> out(most);
  for (std::size_t i = 0; i < most; ++i) out[i] = rows[i * rows.size() / most];
  return out;
}

double position(std::size_t i, std::size_t n, double total, bool whole) {
  const double at = static_cast<double>(i) * total / static_cast<double>(n);
  return whole ? std::floor(at) : at;
}

// How often rows are drawn of a node that weighs as much as `total` rows. Where that is
// more than fits, a row that is there very often need not be drawn as often.
std::size_t n_draws(const Targets& t, const NodeView& node, double total,
                    std::size_t most) {
  double wanted = total;
  if (!t.whole_weights)
    wanted = std::max(kFewDraws, 8.0 * node.n());
  else if (t.mean_repeats > kOften && total > static_cast<double>(most))
    wanted = std::max(kFewDraws, 8 * total / t.mean_repeats);
  return static_cast<std::size_t>(std::min(wanted, static_cast<double>(most)));
}

// Whole weights that are not too large give exactly the repeated rows.
std::vector<Row> spread_weight(const Targets& t, const NodeView& node,
                               std::size_t most) {
  const double unit = t.repeat_unit, total = node.weight / unit;
  const std::size_t n = n_draws(t, node, total, most);
  std::vector<Row> out;
  double passed = 0;
  for (const Row r : node.rows) {
    passed += t.weight_of(r);
    // Those i with i · total / n, rounded down if weights are whole, before `passed`.
    while (out.size() < n &&
           position(out.size(), n, total, t.whole_weights) * unit < passed)
      out.push_back(r);
  }
  return out;
}

// All rows of a class together, as pair histograms want them.
std::vector<Row> by_class(const Targets& t, std::vector<Row> rows) {
  if (!t.classification()) return rows;
  std::vector<std::size_t> next(t.n_classes + 1, 0);
  for (const Row r : rows) ++next[t.label[r] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Row> out(rows.size());
  for (const Row r : rows) out[next[t.label[r]]++] = r;
  return out;
}

}  // namespace

Sample draw_sample(const Targets& t, const NodeView& node, std::size_t most,
                   u32 min_samples_leaf) {
  const bool repeats = t.weighted() || t.repeat_unit > 1 || t.mean_repeats > kOften;
  const bool by_weight = repeats && min_samples_leaf <= 1;
  Sample out;
  out.rows =
      by_class(t, by_weight ? spread_weight(t, node, most) : spread(node.rows, most));
  out.targets.n_classes = t.n_classes;
  for (const Row r : out.rows) {
    if (t.classification()) out.targets.label.push_back(t.label[r]);
    if (!t.classification()) out.targets.y.push_back(t.y[r]);
    if (t.weighted() && !by_weight) out.targets.weight.push_back(t.weight[r]);
    out.weight += t.weighted() && !by_weight ? t.weight[r] : 1.0;
  }
  out.scale = out.weight / node.weight;
  return out;
}

double n_repeated(const Targets& t, const NodeView& node) {
  return t.whole_weights ? node.weight / t.repeat_unit : node.n();
}

}  // namespace dpdtree
