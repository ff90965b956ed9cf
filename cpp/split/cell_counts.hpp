// How many rows of each class have each value of the columns with few values. A node
// holds what its parent holds less what its sibling does, so that only the smaller of
// two siblings is counted.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/column.hpp"
#include "loss/targets.hpp"
#include "node/split.hpp"
#include "split/accumulators.hpp"
#include "split/coarse_codes.hpp"

namespace dpdtree {

// Where the cells of a feature are, the same for all nodes of a fit: a count per code
// and class. Features with many values and those in coarse codes have none.
struct CellPlaces {
  CellPlaces(const std::vector<Column>& columns, const CoarseCodes* coarse,
             u32 n_classes);

  std::size_t n_cells(u32 feature) const { return first[feature + 1] - first[feature]; }

  std::vector<std::size_t> first;  // cell of each feature, and their end
};

class CellCounts {
 public:
  CellCounts(const CellPlaces& places, std::span<const u32> features);

  bool has(u32 feature) const { return has_[feature] != 0; }
  std::size_t n_features() const;
  bool has_all_of(const CellCounts& o) const;
  std::span<u32> cells(u32 feature) {
    return {count_.data() + places_->first[feature], places_->n_cells(feature)};
  }
  std::span<const u32> cells(u32 feature) const {
    return {count_.data() + places_->first[feature], places_->n_cells(feature)};
  }
  // These features of a node without those of a part of it.
  void set_rest(const CellCounts& whole, const CellCounts& part);

 private:
  const CellPlaces* places_;
  std::vector<u8> has_;
  UninitializedVector<u32> count_;
};

// Those of the nodes that were asked for last, for all threads of a fit.
class CellCountCache {
 public:
  using Counts = std::shared_ptr<const CellCounts>;

  // All outlive the cache; labels without weights.
  CellCountCache(const std::vector<Column>& columns, const CoarseCodes* coarse,
                 const Targets& targets);

  // Null if the node is too small to gain by it, or if `stopped` said in between that
  // the counts are no longer wanted. With a pool, features are shared out.
  Counts of(const NodeView& node, std::span<const u32> features, ThreadPool* pool,
            const std::function<bool()>& stopped);

 private:
  struct Entry {
    Hash128 node;
    Counts counts;
  };
  Counts find(const Hash128& node, const CellCounts& wanted);
  void keep(const Hash128& node, Counts counts);
  bool subtract(const NodeView& node, CellCounts& out, ThreadPool* pool,
                const std::function<bool()>& stopped);
  bool count(std::span<const Row> rows, CellCounts& out, ThreadPool* pool,
             const std::function<bool()>& stopped) const;

  const std::vector<Column>& columns_;
  const Targets& targets_;
  CellPlaces places_;
  std::size_t capacity_;
  std::vector<Entry> entries_;  // the last one was used last
  std::mutex mutex_;
};

}  // namespace dpdtree
