// Some of the rows of a node, for a look ahead.
#pragma once

#include <vector>

#include "loss/targets.hpp"
#include "node/split.hpp"

namespace dpdtree {

// Rows to look at, and their targets in the same order.
struct Sample {
  std::vector<Row> rows;
  Targets targets;
  double weight = 0;
  double scale = 1;  // of the weights: those of the sample over those of the node
};

// All rows, or that many of them evenly spaced; those of a class together. Weighted
// rows are drawn as often as they weigh and then count one each, as if they were
// repeated; unless leaves have a least number of rows: then they keep their weight.
Sample draw_sample(const Targets& targets, const NodeView& node, std::size_t most,
                   u32 min_samples_leaf);

// The rows; with whole weights as many as if they were repeated, and with all of them
// repeated as many as if they were not.
double n_repeated(const Targets& targets, const NodeView& node);

}  // namespace dpdtree
