// What each row of a node would cost in one subtree of its split more than in the
// other: from this a split is chosen anew while both subtrees stay.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "data/column.hpp"
#include "loss/criterion.hpp"
#include "loss/leaf.hpp"
#include "node/split.hpp"

namespace dpdtree {

// A node of a subtree. Its splits are settled; leaves know their statistics and, of
// numbers, what they predict.
struct CostNode {
  Split split;
  int left = -1;  // -1: leaf; the right child is right
  int right = -1;
  std::vector<double> stats;
  std::vector<double> predictions;

  bool leaf() const { return left < 0; }
};

// What a leaf makes of the rows that come to it: add(y, cost).
template <class Add>
void assign_leaf_costs(Criterion loss, const Targets& t, const CostNode& leaf,
                       double path_price, std::span<const Row> rows, double* y,
                       const Add& add) {
  const RowCosts costs(loss, t, leaf.stats, leaf.predictions);
  const double* by_label = costs.by_label();
  if (by_label == nullptr || t.weighted())
    for (const Row r : rows) add(y[r], t.weight_of(r) * (path_price + costs(r)));
  else
    for (const Row r : rows) add(y[r], path_price + by_label[t.label[r]]);
}

// Both subtrees of a node, to whoever has its rows.
struct SideQuestion {
  Criterion loss = Criterion::zero_one;
  double path_price = 0;  // of a split that a row passes
  std::vector<CostNode> nodes;
  int left = 0, right = 0;  // the roots of the two
  // For the second of two questions: what the first was answered, and all rows.
  double largest = 0;
  u64 n = 0;
  bool only_mattering = false;  // rows that cost the same on both sides do not count

  // Copies a subtree; returns the index of its root.
  template <class Nodes>
  int add(const Nodes& from, int i) {
    const auto here = static_cast<int>(nodes.size());
    const CostNode& node = from[static_cast<std::size_t>(i)];
    nodes.push_back(node);
    if (node.leaf()) return here;
    const int first = add(from, node.left), second = add(from, node.right);
    nodes[static_cast<std::size_t>(here)].left = first;
    nodes[static_cast<std::size_t>(here)].right = second;
    return here;
  }

  void write(ByteWriter& out, const std::vector<Column>& columns) const;
  static SideQuestion read(ByteReader& in, const std::vector<Column>& columns);

  // The difference of each of the rows, in the entry y[row].
  void assign(const std::vector<Column>& columns, const Targets& targets,
              std::span<const Row> rows, double* y) const;
};

}  // namespace dpdtree
