// The rows of a node in the order of a feature, without comparing values.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/column.hpp"
#include "objective/targets.hpp"

namespace dpdtree {

// How `Column::sorted` is to be read: plain rows, or (code << class_bits | class) keys
// that spare the scan two look-ups per row.
struct ScanKeys {
  bool in_use = false;
  u32 class_bits = 0;
};

// Turns `sorted` of every column into keys where the targets are unweighted classes and
// code and class fit 32 bits; returns what was done, column by column.
std::vector<ScanKeys> make_scan_keys(std::vector<Column>& columns,
                                     const Targets& targets);

class Orderer {
 public:
  // `sorted` of the node's rows, in order. Sets one bit per row at its position and
  // walks the bits: O(n + N/64), or O(n + N/4096) for small nodes.
  std::span<const u32> collect(const Column& column, std::span<const Row> rows);

 private:
  void walk_all(const u32* sorted, std::size_t n_words);
  void walk_marked(const u32* sorted, std::size_t n_words);

  std::vector<u64> bits_;   // all zero between calls
  std::vector<u64> marks_;  // one bit per word of bits_, all zero between calls
  std::vector<u32> out_;
  std::size_t n_out_ = 0;
};

}  // namespace dpdtree
