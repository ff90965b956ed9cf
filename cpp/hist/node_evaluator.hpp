// The operations every way of growing a tree is made of: histograms of nodes with their
// best splits, and dividing rows. All threads of a tree work in here.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "hist/division.hpp"
#include "hist/split_finder.hpp"

namespace dpdtree::boosting {

// Growing was stopped in the middle of a tree; nothing of it is kept.
struct Stopped {};

// Nodes' histograms, taken from a store and given back to it, by any thread.
class HistogramStore {
 public:
  explicit HistogramStore(std::size_t size) : size_(size) {}

  Bin* take();
  void give_back(Bin* histogram);
  // All of them are free again, whoever had them.
  void reclaim();
  // Nodes that wait should not hold on to more than this.
  bool crowded() const { return all_.size() - free_.size() > max_waiting(); }
  std::size_t size() const { return size_; }

 private:
  std::size_t max_waiting() const;
  // Copies of a grower share it, though each has its own histograms: it is held for
  // moments only.
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
  std::size_t size_;
  std::vector<std::vector<Bin>> all_;
  std::vector<Bin*> free_;
};

// Where the rows of nodes live: spaces for as many rows as the tree has, one after the
// other.
class RowSpaces {
 public:
  RowSpaces() = default;
  RowSpaces(std::size_t n_spaces, std::size_t n_rows)
      : n_spaces_(n_spaces),
        capacity_(n_rows),
        n_rows_(n_rows),
        rows_(n_spaces * n_rows),
        gradients_(n_spaces * n_rows) {}

  // How many rows of each space are in use; what the spaces hold is lost if they have
  // to grow.
  void use(std::size_t n_rows) {
    if (n_rows > capacity_) *this = RowSpaces(n_spaces_, n_rows);
    n_rows_ = n_rows;
  }
  RowSet operator[](std::size_t space) {
    const std::size_t at = space * capacity_;
    return {rows_.data() + at, gradients_.data() + at, n_rows_};
  }
  std::vector<RowSet> all() {
    std::vector<RowSet> out;
    for (std::size_t space = 0; space < n_spaces_; ++space)
      out.push_back((*this)[space]);
    return out;
  }

 private:
  std::size_t n_spaces_ = 0;
  std::size_t capacity_ = 0;
  std::size_t n_rows_ = 0;
  std::vector<Row> rows_;
  std::vector<RowGradient> gradients_;
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

// The part of a histogram that belongs to a block of columns.
void fill_block(const BinnedData& data, const Block& block, const RowSet& rows,
                const Units& units, Bin* histogram);

class NodeEvaluator {
 public:
  NodeEvaluator(const BinnedData& data, HistogramStore& store, ThreadPool& pool,
                StopToken& stop)
      : data_(&data), pool_(&pool), stop_(&stop), store_(&store) {}
  virtual ~NodeEvaluator() = default;

  // Whether the rows are: then nodes are known by their paths, row sets have a size
  // only, and histograms come by `fetch`.
  virtual bool elsewhere() const { return false; }
  // The histograms of all nodes that are not found by subtraction, in one go.
  virtual void fetch(std::span<const FamilySearch>) {}

  // Starts a tree: its gradients have these units.
  void begin(const Params& params, const Units& units) {
    store_->reclaim();
    finder_.emplace(*data_, params, units);
  }
  const SplitFinder& finder() const { return *finder_; }
  const BinnedData& data() const { return *data_; }
  HistogramStore& store() { return *store_; }
  ThreadPool& pool() { return *pool_; }

  // How many nodes to expand at a time: as many as there are threads for them that have
  // no two blocks of each node to search.
  std::size_t batch() const {
    const std::size_t threads = pool_->size(), blocks = data_->blocks().size();
    if (!pool_->has_idle()) return 1;
    return std::clamp<std::size_t>(2 * threads / std::max<std::size_t>(blocks, 1), 1,
                                   threads);
  }

  // Throws Stopped once the token says so.
  void check_stop() const {
    if (stop_->poll()) throw Stopped{};
  }

  virtual GradientSum sum(const RowSet& rows);

  void search_one(const NodeSearch& one);
  void search(const FamilySearch& family);

  std::size_t divide(const RowSet& rows, const BinnedSplit& rule, const RowSet& out) {
    return boosting::divide(*data_, *pool_, rows, rule, out);
  }

 private:
  std::size_t work_of(const FamilySearch& family) const;
  // `reached`: of each node, see SplitFinder.
  void search_block(const Block& block, const FamilySearch& family, double* reached,
                    FoundSplit* found) const;
  virtual void fill(const Block& block, const NodeSearch& s) const;

  const BinnedData* data_;
  ThreadPool* pool_;
  StopToken* stop_;
  HistogramStore* store_;
  std::optional<SplitFinder> finder_;
};

}  // namespace dpdtree::boosting
