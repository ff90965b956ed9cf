#include "plan/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpdtree {
namespace {

constexpr double kFewDraws = 2000;
constexpr double kOften = 64;

// Every n / most -th row of the node, those of the rows at hand.
std::vector<Row> spread(std::span<const Row> rows, const Draw& d) {
  if (d.n <= d.most) return {rows.begin(), rows.end()};
  std::vector<Row> out;
  u64 i = (d.n_before * d.most + d.n - 1) / d.n;
  for (; i < d.most && i * d.n / d.most < d.n_before + rows.size(); ++i)
    out.push_back(rows[i * d.n / d.most - d.n_before]);
  return out;
}

double position(std::size_t i, std::size_t n, double total, bool whole) {
  const double at = static_cast<double>(i) * total / static_cast<double>(n);
  return whole ? std::floor(at) : at;
}

// How often rows are drawn of a node that weighs as much as `total` rows. Where that is
// more than fits, a row that is there very often need not be drawn as often.
std::size_t n_draws(const Targets& t, const Draw& d, double total) {
  double wanted = total;
  const auto most = static_cast<double>(d.most);
  if (!t.whole_weights)
    wanted = std::max(kFewDraws, 8.0 * static_cast<double>(d.n));
  else if (t.mean_repeats > kOften && total > most)
    wanted = std::max(kFewDraws, 8 * total / t.mean_repeats);
  return static_cast<std::size_t>(std::min(wanted, most));
}

// Whole weights that are not too large give exactly the repeated rows.
std::vector<Row> spread_weight(const Targets& t, std::span<const Row> rows,
                               const Draw& d) {
  const double unit = t.repeat_unit, total = d.weight / unit;
  const std::size_t n = n_draws(t, d, total);
  const auto begins_before = [&](std::size_t i, double passed) {
    return i < n && position(i, n, total, t.whole_weights) * unit < passed;
  };
  std::vector<Row> out;
  double passed = d.weight_before;
  std::size_t i = 0;
  while (begins_before(i, passed)) ++i;
  for (const Row r : rows) {
    passed += t.weight_of(r);
    // Those i with i · total / n, rounded down if weights are whole, before `passed`.
    for (; begins_before(i, passed); ++i) out.push_back(r);
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

Draw draw_of(const Targets& t, const NodeView& node, std::size_t most,
             u32 min_samples_leaf) {
  const bool repeats = t.weighted() || t.repeat_unit > 1 || t.mean_repeats > kOften;
  return {most, repeats && min_samples_leaf <= 1, node.n(), node.weight};
}

std::vector<Row> drawn_rows(const Targets& t, std::span<const Row> rows,
                            const Draw& draw) {
  return draw.by_weight ? spread_weight(t, rows, draw) : spread(rows, draw);
}

Sample sample_of(const Targets& t, const std::vector<Row>& drawn, const Draw& draw) {
  Sample out;
  out.rows = by_class(t, drawn);
  out.targets.n_classes = t.n_classes;
  for (const Row r : out.rows) {
    if (t.classification()) out.targets.label.push_back(t.label[r]);
    if (!t.classification()) out.targets.y.push_back(t.y[r]);
    if (t.weighted() && !draw.by_weight) out.targets.weight.push_back(t.weight[r]);
    out.weight += t.weighted() && !draw.by_weight ? t.weight[r] : 1.0;
  }
  out.scale = out.weight / draw.weight;
  return out;
}

Sample draw_sample(const Targets& t, const NodeView& node, std::size_t most,
                   u32 min_samples_leaf) {
  const Draw draw = draw_of(t, node, most, min_samples_leaf);
  return sample_of(t, drawn_rows(t, node.rows, draw), draw);
}

double n_repeated(const Targets& t, const NodeView& node) {
  return t.whole_weights ? node.weight / t.repeat_unit : node.n();
}

}  // namespace dpdtree
