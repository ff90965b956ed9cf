// The rows of a tree's nodes, found by the paths that lead to them. All nodes share one
// array: the rows of a node lie next to each other, in no order. Another split of a
// node moves its rows, and what was known below it is forgotten.
#pragma once

#include "base/thread_pool.hpp"
#include "boost/grown_tree.hpp"

namespace dpdtree::boosting {

class NodeRows {
 public:
  // Where the rows of the root go, and their gradients.
  RowSet reset(std::size_t n_rows);

  // Valid until the next call.
  RowSet find(const BinnedData& data, ThreadPool& pool, const NodePath& path);

 private:
  struct Node {
    std::size_t begin = 0;
    std::size_t end = 0;
    BinnedSplit split;
    u32 left = 0;  // 0: not divided
    u32 right = 0;
  };

  void divide(const BinnedData& data, ThreadPool& pool, u32 node,
              const BinnedSplit& split);
  RowSet rows_of(const Node& node) {
    return RowSet{rows_.data(), gradients_.data(), rows_.size()}.part(node.begin,
                                                                      node.end);
  }

  std::vector<Row> rows_, other_rows_;
  std::vector<RowGradient> gradients_, other_gradients_;
  std::vector<Node> nodes_;
};

}  // namespace dpdtree::boosting
