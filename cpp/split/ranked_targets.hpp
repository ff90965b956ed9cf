// The targets of a node in their order, for losses that need it.
#pragma once

#include <span>
#include <vector>

#include "loss/targets.hpp"

namespace dpdtree {

// A distinct target: its rows, and its neighbours among those that have any left.
struct RankedTarget {
  double y = 0;  // less a middle target of the node: the loss does not change
  double w = 0;
  u32 n = 0;
  u32 before = 0;
  u32 after = 0;
};

// One output of one node.
struct RankedOutput {
  std::vector<RankedTarget> targets;  // ascending
  std::vector<u32> rank;              // by row; only the rows of the node count
};

class RankedTargets {
 public:
  void fill(const Targets& targets, std::span<const Row> rows);

  std::span<const RankedOutput> outputs() const { return outputs_; }

 private:
  std::vector<RankedOutput> outputs_;
  std::vector<std::pair<double, Row>> sorted_;
};

}  // namespace dpdtree
