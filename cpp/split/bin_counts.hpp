// How many rows of a node, of each class, fall into the bins of coarse codes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "base/uninitialized_vector.hpp"
#include "loss/targets.hpp"
#include "node/split.hpp"
#include "split/coarse_codes.hpp"

namespace dpdtree {

struct BinCounts {
  std::vector<u8> has_group;  // 1 for the groups of features that were counted
  // Two classes, by slot and bin: rows, and above 32 bits those of class 1.
  UninitializedVector<u64> counts;
  // More of them: rows by slot, bin and class.
  UninitializedVector<u32> by_class;
  // Classes with weights: rows by slot and bin; weight by slot, bin and class.
  UninitializedVector<u32> rows;
  UninitializedVector<double> weights;
  // Numbers, by slot and bin: their sum and rows, and where they are summed up, their
  // weight and the sum of their squares.
  UninitializedVector<double> moments;

  // For all features of the list that have coarse codes; nothing is counted yet.
  BinCounts(const CoarseCodes& codes, std::span<const u32> features,
            const Targets& targets);

  bool empty() const;
  bool has_groups_of(const BinCounts& o) const;
};

// Fills in the counts of these rows. False if `stopped` said in between that they are
// no longer wanted.
bool count_rows(const CoarseCodes& codes, const Targets& targets,
                std::span<const Row> rows, ThreadPool* pool,
                const std::function<bool()>& stopped, BinCounts& out);

// The counts of the nodes that were asked for last, and of the very first, for all
// threads of a fit. Those of a node are the difference if its parent and its sibling
// are among them.
class BinCountCache {
 public:
  using Counts = std::shared_ptr<const BinCounts>;

  BinCountCache(const CoarseCodes& codes, const Targets& targets);

  // True if the counts of the node, known by the hash of its rows, were filled in.
  bool fill(const Hash128& node, BinCounts& out);
  void keep(const Hash128& node, Counts counts);

 private:
  struct Entry {
    Hash128 node;
    Counts counts;
  };
  Counts find(const Hash128& node, const BinCounts& wanted) const;

  std::size_t capacity_;
  std::vector<Entry> entries_;  // but for the first, the last one was used last
  std::mutex mutex_;
};

}  // namespace dpdtree
