#include "split/partition.hpp"

#include <algorithm>

namespace dpdtree {
namespace {

// The side of the heavier child, by the rows whose value is known.
Missing heavier_side(const Problem& p, const NodeView& node, const Split& split) {
  const Column& column = p.columns[split.feature];
  double left = 0, right = 0;
  visit_codes(column.code, [&](const auto* code) {
    visit_side(split.left_codes(column), [&](auto is_left) {
      for (const Row r : node.rows) {
        const double w = p.targets.weighted() ? p.targets.weight[r] : 1.0;
        if (is_left(code[r]))
          left += w;
        else if (code[r] < column.n_values)
          right += w;
      }
    });
  });
  return left > right ? Missing::left : Missing::right;
}

void subtract(std::span<const double> whole, const double* part, double* rest) {
  for (std::size_t i = 0; i < whole.size(); ++i) rest[i] = whole[i] - part[i];
}

}  // namespace

NodeView make_node(const Problem& p, std::span<const Row> rows, double* stats) {
  p.targets.accumulate(rows, stats);
  const std::span<const double> view(stats, p.targets.stats_width());
  return {rows, view, p.targets.total_weight(view), p.hash(rows)};
}

Children split_node(const Problem& p, const NodeView& node, Split& split, Row* out,
                    std::vector<Row>& spare, double* left_stats, double* right_stats) {
  const Column& column = p.columns[split.feature];
  const bool unsettled = split.missing == Missing::heavier;
  if (unsettled && column.n_missing > 0) split.missing = heavier_side(p, node, split);
  const std::size_t n = node.rows.size();
  const u32 n_left =
      partition_rows(column, split.left_codes(column), node.rows, out, spare);
  Children c;
  c.left = make_node(p, {out, n_left}, left_stats);
  const std::span<const Row> right_rows(out + n_left, n - n_left);
  if (p.targets.exact_sums()) {
    subtract(node.stats, left_stats, right_stats);
    c.right = {right_rows,
               {right_stats, node.stats.size()},
               node.weight - c.left.weight,
               node.hash - c.left.hash};
  } else {
    c.right = make_node(p, right_rows, right_stats);
  }
  if (split.missing == Missing::heavier)
    split.missing = c.left.weight > c.right.weight ? Missing::left : Missing::right;
  return c;
}

void split_stats(const Problem& p, const NodeView& node, Split& split,
                 double* left_stats, double* right_stats) {
  const Targets& t = p.targets;
  const Column& column = p.columns[split.feature];
  if (split.missing == Missing::heavier) split.missing = heavier_side(p, node, split);
  double* side[2] = {right_stats, left_stats};
  const std::size_t width = t.stats_width();
  std::fill(left_stats, left_stats + width, 0.0);
  std::fill(right_stats, right_stats + width, 0.0);
  visit_codes(column.code, [&](const auto* code) {
    visit_side(split.left_codes(column), [&](auto is_left) {
      for (const Row r : node.rows) t.add_row(r, side[is_left(code[r])]);
    });
  });
}

}  // namespace dpdtree
