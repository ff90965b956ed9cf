// The rows of a node in the order of a feature, without comparing values.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "base/types.hpp"
#include "data/column.hpp"
#include "objective/targets.hpp"

namespace dpdtree {

// How what `Orderer` collects is to be read: plain rows, or (code << class_bits |
// class) keys that spare the scan two look-ups per row.
struct ScanKeys {
  bool in_use = false;
  u32 class_bits = 0;
};

// Makes keys of what is in `sorted` of every column where the targets are unweighted
// classes and code and class fit 32 bits. Where codes are places, classes by place are
// enough: they take a quarter of the memory, and searches are as fast as they are read.
// Returns what was done, column by column.
std::vector<ScanKeys> make_scan_keys(std::vector<Column>& columns,
                                     const Targets& targets, ThreadPool& pool);

class Orderer {
 public:
  // The node's rows in order, or their keys. Sets one bit per row at its position and
  // walks the bits: O(n + N/64), or O(n + N/4096) for small nodes.
  std::span<const u32> collect(const Column& column, std::span<const Row> rows,
                               const ScanKeys& keys);

 private:
  void mark(const Column& column, std::span<const Row> rows, bool with_marks);
  template <class Item>
  void walk_all(std::size_t n_words, Item item);
  template <class Item>
  void walk_marked(std::size_t n_words, Item item);

  std::vector<u64> bits_;   // all zero between calls
  std::vector<u64> marks_;  // one bit per word of bits_, all zero between calls
  std::vector<u32> out_;
  std::size_t n_out_ = 0;
};

}  // namespace dpdtree
