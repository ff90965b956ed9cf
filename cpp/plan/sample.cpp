#include "plan/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpdtree {
namespace {

constexpr std::size_t kFewDraws = 2000;

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

// Integer weights that are not too large give exactly the repeated rows.
std::vector<Row> spread_weight(const Targets& t, const NodeView& node,
                               std::size_t most) {
  const bool whole = t.whole_unit > 0;
  const double unit = whole ? t.weight_scale / t.whole_unit : 1;
  const double total = node.weight * unit;
  const double enough = static_cast<double>(std::max(kFewDraws, 8 * node.rows.size()));
  const double wanted = whole ? total : enough;
  const auto n = static_cast<std::size_t>(std::min(wanted, static_cast<double>(most)));
  std::vector<Row> out;
  double passed = 0;
  for (const Row r : node.rows) {
    passed += t.weight[r] * unit;
    // Those i with i · total / n, rounded down if weights are whole, before `passed`.
    while (out.size() < n && position(out.size(), n, total, whole) < passed)
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
  const bool by_weight = t.weighted() && min_samples_leaf <= 1;
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
  if (!t.weighted() || t.whole_unit <= 0) return node.n();
  return node.weight * t.weight_scale / t.whole_unit;
}

}  // namespace dpdtree
