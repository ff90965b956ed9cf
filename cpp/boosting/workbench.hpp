// The operations every way of growing a tree is made of: histograms of nodes with their
// best splits, and dividing rows. All threads of a tree work in here.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "boosting/split_finder.hpp"

namespace dpdtree::boosting {

// Growing was stopped in the middle of a tree; nothing of it is kept.
struct Stopped {};

// A node's histogram, taken from a store and given back to it.
class HistogramStore {
 public:
  explicit HistogramStore(std::size_t size) : size_(size) {}

  Bin* take();
  void give_back(Bin* histogram) {
    if (histogram != nullptr) free_.push_back(histogram);
  }
  // All of them are free again, whoever had them.
  void reclaim();
  // Nodes that wait should not hold on to more than this.
  bool crowded() const { return all_.size() - free_.size() > max_waiting(); }
  std::size_t size() const { return size_; }

 private:
  std::size_t max_waiting() const;
  std::size_t size_;
  std::vector<std::vector<Bin>> all_;
  std::vector<Bin*> free_;
};

// Where the rows of nodes live; as many rows as the tree has.
struct RowBuffer {
  explicit RowBuffer(std::size_t n) : rows(n), gradients(n) {}
  RowSet all() { return {rows.data(), gradients.data(), rows.size()}; }
  std::vector<Row> rows;
  std::vector<RowGradient> gradients;
};

// A node to look at: its histogram is built from `rows`, or (if `from` is set) is what
// the sibling leaves of `from`, the parent's.
struct NodeSearch {
  const NodeContext* node = nullptr;
  Bin* histogram = nullptr;
  RowSet rows;
  const Bin* from = nullptr;
  FoundSplit* found = nullptr;  // where its best split goes; null: only the histogram
};

// One node, or two siblings, of which the second may come by subtraction of the first.
struct FamilySearch {
  NodeSearch nodes[2];
  std::size_t n = 0;

  void add(const NodeSearch& node) { nodes[n++] = node; }
};

class Workbench {
 public:
  Workbench(const BinnedData& data, HistogramStore& store, ThreadPool& pool,
            StopToken& stop)
      : data_(&data), pool_(&pool), stop_(&stop), store_(&store) {}

  // Starts a tree: its gradients have these units.
  void begin(const Params& params, const Units& units) {
    store_->reclaim();
    finder_.emplace(*data_, params, units);
  }
  const SplitFinder& finder() const { return *finder_; }
  const BinnedData& data() const { return *data_; }
  HistogramStore& store() { return *store_; }
  ThreadPool& pool() { return *pool_; }

  // How many nodes to expand at a time: as many as there are threads for them.
  std::size_t batch() const { return pool_->has_idle() ? pool_->size() : 1; }

  // Throws Stopped once the token says so.
  void check_stop() const {
    if (stop_->poll()) throw Stopped{};
  }

  Bin sum(const RowSet& rows) const;

  void search(const NodeSearch& one);
  // All of them at once: the more there is to do, the more threads have of it.
  void search(std::span<const FamilySearch> families);

  // Divides rows into `out`: the left ones from the front, the others from the back.
  // Returns the number of the former.
  std::size_t divide(const RowSet& rows, const SplitRule& rule, const RowSet& out);

  // Whether all threads together would divide as many rows.
  bool divides_in_parallel(std::size_t n_rows) const;

 private:
  std::size_t work_of(std::span<const FamilySearch> families) const;
  void search_block(const Block& block, const FamilySearch& family,
                    FoundSplit* found) const;
  void fill(const Block& block, const NodeSearch& s) const;
  std::size_t divide_in_parallel(const RowSet& rows, LaneCodes codes,
                                 const SideTable& left, const RowSet& out);

  const BinnedData* data_;
  ThreadPool* pool_;
  StopToken* stop_;
  HistogramStore* store_;
  std::optional<SplitFinder> finder_;
};

}  // namespace dpdtree::boosting
