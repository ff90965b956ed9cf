// Some of the rows of a node, for a look ahead.
#pragma once

#include <memory>
#include <vector>

#include "data/column.hpp"
#include "loss/targets.hpp"
#include "node/split.hpp"

namespace dpdtree {

// Rows that came from elsewhere: their codes (of some columns) and targets.
struct SampledRows {
  std::vector<Column> columns;
  Targets targets;
};

// Rows to look at, and their targets in the same order.
struct Sample {
  std::vector<Row> rows;
  Targets targets;
  double weight = 0;
  double scale = 1;  // of the weights: those of the sample over those of the node
  std::shared_ptr<const SampledRows> elsewhere;  // what `rows` are rows of, if not null

  const std::vector<Column>& columns(const std::vector<Column>& local) const {
    return elsewhere ? elsewhere->columns : local;
  }
};

// All rows, or that many of them evenly spaced; those of a class together. Weighted
// rows are drawn as often as they weigh and then count one each, as if they were
// repeated; unless leaves have a least number of rows: then they keep their weight.
Sample draw_sample(const Targets& targets, const NodeView& node, std::size_t most,
                   u32 min_samples_leaf);

// The same in two steps, for rows in several places: which rows are drawn of some of
// the node's, and the sample of all that were.
struct Draw {
  u64 most = 0;
  bool by_weight = false;
  u64 n = 0;  // of all rows of the node
  double weight = 0;
  u64 n_before = 0;  // of those before the rows at hand
  double weight_before = 0;
};
Draw draw_of(const Targets& targets, const NodeView& node, std::size_t most,
             u32 min_samples_leaf);
std::vector<Row> drawn_rows(const Targets& targets, std::span<const Row> rows,
                            const Draw& draw);
Sample sample_of(const Targets& targets, const std::vector<Row>& drawn,
                 const Draw& draw);

// The rows; with whole weights as many as if they were repeated, and with all of them
// repeated as many as if they were not.
double n_repeated(const Targets& targets, const NodeView& node);

}  // namespace dpdtree
