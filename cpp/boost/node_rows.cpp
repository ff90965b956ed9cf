#include "boost/node_rows.hpp"

#include <algorithm>

#include "hist/division.hpp"

namespace dpdtree::boosting {

RowSet NodeRows::reset(std::size_t n_rows) {
  rows_.resize(n_rows);
  other_rows_.resize(n_rows);
  gradients_.resize(n_rows);
  other_gradients_.resize(n_rows);
  nodes_.assign(1, {0, n_rows, {}, 0, 0});
  return rows_of(nodes_[0]);
}

RowSet NodeRows::find(const BinnedData& data, ThreadPool& pool, const NodePath& path) {
  u32 node = 0;
  for (const PathStep& step : path) {
    if (nodes_[node].left == 0 || !(nodes_[node].split == step.split))
      divide(data, pool, node, step.split);
    node = step.left ? nodes_[node].left : nodes_[node].right;
  }
  return rows_of(nodes_[node]);
}

void NodeRows::divide(const BinnedData& data, ThreadPool& pool, u32 node,
                      const BinnedSplit& split) {
  const RowSet rows = rows_of(nodes_[node]);
  const auto [begin, end] = std::pair{nodes_[node].begin, nodes_[node].end};
  const RowSet out =
      RowSet{other_rows_.data(), other_gradients_.data(), other_rows_.size()}.part(
          begin, end);
  const std::size_t n_left = boosting::divide(data, pool, rows, split, out);
  std::copy_n(out.rows, out.size, rows.rows);
  std::copy_n(out.gradients, out.size, rows.gradients);
  nodes_[node].split = split;
  nodes_[node].left = static_cast<u32>(nodes_.size());
  nodes_[node].right = nodes_[node].left + 1;
  nodes_.push_back({begin, begin + n_left, {}, 0, 0});
  nodes_.push_back({begin + n_left, end, {}, 0, 0});
}

}  // namespace dpdtree::boosting
