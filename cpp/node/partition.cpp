#include "node/partition.hpp"

#include <algorithm>

#include "node/constraints.hpp"

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

// Sums over `rows` of what add(rows, sums, piece) writes to the sums of each piece.
template <class Add>
void sum_by_pieces(const Problem& p, std::span<const Row> rows, std::size_t pieces,
                   std::span<double> sums, const Add& add) {
  if (pieces == 1) return add(rows, sums.data(), 0);
  const std::size_t width = sums.size();
  std::vector<double> part(pieces * width);
  for_pieces(p.pool, rows.size(), pieces,
             [&](std::size_t begin, std::size_t end, std::size_t i) {
               add(rows.subspan(begin, end - begin), part.data() + i * width, i);
             });
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t i = 0; i < part.size(); ++i) sums[i % width] += part[i];
}

std::size_t pieces_of(const Problem& p, std::span<const Row> rows) {
  const std::size_t n = rows.size();
  return p.targets.exact_sums() ? n_pieces(p.pool, n) : n_fixed_pieces(n);
}

// The other child, where sums are exact.
NodeView rest_of(const NodeView& node, const NodeView& child, std::span<const Row> rows,
                 double* stats) {
  const std::size_t width = node.stats.size();
  for (std::size_t i = 0; i < width; ++i) stats[i] = node.stats[i] - child.stats[i];
  return {rows, {stats, width}, node.weight - child.weight, node.hash - child.hash};
}

// All of a node but its hash, which is known: it takes longer than the sums.
NodeView node_with_hash(const Problem& p, std::span<const Row> rows, double* stats,
                        const Hash128& hash) {
  const std::span<double> view(stats, p.targets.stats_width());
  sum_by_pieces(p, rows, pieces_of(p, rows), view,
                [&](std::span<const Row> some, double* sums, std::size_t) {
                  p.targets.accumulate(some, sums);
                });
  return {rows, view, p.targets.total_weight(view), hash};
}

// The smaller child, and the other one from what is left of its parent.
void make_children(const Problem& p, const NodeView& node, NodeView& small,
                   std::span<const Row> small_rows, double* small_stats,
                   NodeView& large, std::span<const Row> large_rows,
                   double* large_stats) {
  small = make_node(p, small_rows, small_stats);
  large = p.targets.exact_sums()
              ? rest_of(node, small, large_rows, large_stats)
              : node_with_hash(p, large_rows, large_stats, node.hash - small.hash);
}

}  // namespace

NodeView make_node(const Problem& p, std::span<const Row> rows, double* stats) {
  const std::span<double> view(stats, p.targets.stats_width());
  std::vector<Hash128> part(pieces_of(p, rows));
  sum_by_pieces(p, rows, part.size(), view,
                [&](std::span<const Row> some, double* sums, std::size_t i) {
                  p.targets.accumulate(some, sums);
                  part[i] = p.hash(some);
                });
  Hash128 hash;
  for (const Hash128& h : part) hash += h;
  return {rows, view, p.targets.total_weight(view), hash};
}

Children split_node(const Problem& p, const NodeView& node, Split& split, Row* out,
                    RowBuffer& spare, double* left_stats, double* right_stats) {
  const Column& column = p.columns[split.feature];
  const bool unsettled = split.missing == Missing::heavier;
  if (unsettled && column.n_missing > 0) split.missing = heavier_side(p, node, split);
  const std::size_t n = node.rows.size();
  const u32 n_left =
      partition_rows(column, split.left_codes(column), node.rows, out, spare, p.pool);
  const std::span<const Row> left(out, n_left), right(out + n_left, n - n_left);
  Children c;
  if (left.size() <= right.size())
    make_children(p, node, c.left, left, left_stats, c.right, right, right_stats);
  else
    make_children(p, node, c.right, right, right_stats, c.left, left, left_stats);
  if (split.missing == Missing::heavier)
    split.missing = c.left.weight > c.right.weight ? Missing::left : Missing::right;
  c.left.sibling = right;
  c.right.sibling = left;
  if (node.constraints) constrain_children(node, split, c.left, c.right);
  return c;
}

Children split_stats(const Problem& p, const NodeView& node, Split& split,
                     double* left_stats, double* right_stats) {
  const Targets& t = p.targets;
  const Column& column = p.columns[split.feature];
  if (split.missing == Missing::heavier && column.n_missing > 0)
    split.missing = heavier_side(p, node, split);
  const std::size_t width = t.stats_width();
  std::vector<double> both(2 * width);
  const auto add = [&](std::span<const Row> rows, double* sums, std::size_t) {
    std::fill(sums, sums + 2 * width, 0.0);
    visit_codes(column.code, [&](const auto* code) {
      visit_side(split.left_codes(column), [&](auto is_left) {
        for (const Row r : rows) t.add_row(r, sums + (is_left(code[r]) ? 0 : width));
      });
    });
  };
  sum_by_pieces(p, node.rows, pieces_of(p, node.rows), both, add);
  std::copy_n(both.data(), width, left_stats);
  std::copy_n(both.data() + width, width, right_stats);
  const auto view = [&](const double* stats) {
    const std::span<const double> sums(stats, width);
    return NodeView{{}, sums, t.total_weight(sums), {}};
  };
  Children c{view(left_stats), view(right_stats)};
  if (split.missing == Missing::heavier)
    split.missing = c.left.weight > c.right.weight ? Missing::left : Missing::right;
  if (node.constraints) constrain_children(node, split, c.left, c.right);
  return c;
}

}  // namespace dpdtree
