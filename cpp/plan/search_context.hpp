// What one worker of a search needs: the data, what finds splits, what is known of them
// already, and scratch memory.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "node/partition.hpp"
#include "plan/memo.hpp"
#include "plan/node_source.hpp"
#include "split/finder.hpp"

namespace dpdtree {

// The best split of a set of rows; nodes of a small CART recur as states.
struct KnownSplit {
  FoundSplit found;
  bool with_bound = false;  // of errors
};
using SplitMemo = Memo<KnownSplit>;

struct SearchCounters {
  u64 states = 0;
  u64 candidates = 0;
  u64 splits_searched = 0;
  u64 split_memo_hits = 0;
  u64 state_memo_hits = 0;
  u64 pruned = 0;

  void add(const SearchCounters& o);
};

// The split finders of a search, one per target; each is made when it is first asked
// for, by whichever thread comes first.
class Finders {
 public:
  struct Spec {
    Criterion criterion = Criterion::gini;
    // See FinderParams.
    double threshold_price = 0;
    double row_weight = 0;
  };
  using Make = std::function<std::unique_ptr<SplitFinder>(const Spec&)>;

  explicit Finders(Make make) : make_(std::move(make)) {}

  // Before the search begins.
  void set(SearchTarget target, const Spec& spec) { entry(target).spec = spec; }

  bool has(SearchTarget target) const { return entry(target).spec.has_value(); }
  Criterion criterion(SearchTarget target) const {
    return entry(target).spec->criterion;
  }
  const SplitFinder& operator[](SearchTarget target) const;

 private:
  struct Entry {
    std::optional<Spec> spec;
    std::unique_ptr<SplitFinder> owned;
    std::atomic<const SplitFinder*> finder{nullptr};
  };
  Entry& entry(SearchTarget t) { return entries_[static_cast<std::size_t>(t)]; }
  Entry& entry(SearchTarget t) const { return entries_[static_cast<std::size_t>(t)]; }

  Make make_;
  mutable std::mutex mutex_;
  mutable std::array<Entry, 3> entries_;
};

// Belongs to one worker.
struct SearchContext {
  const NodeSource& data;
  const Problem& problem;  // the local rows, for what goes past the seam
  const Finders& finders;
  const SplitLimits& limits;
  SplitMemo* memo;  // may be null
  StopToken& stop;
  StopPoller poller;
  std::vector<SplitScratch>* pool_scratch = nullptr;  // of all workers, for one search
  SplitScratch scratch;
  RowBuffer spare_rows;
  SearchCounters counters;

  // The best split of the node, through the memo.
  FoundSplit find(const NodeView& node, FeatureList& features, bool error_bound,
                  SearchTarget aim = SearchTarget::criterion);

 private:
  FoundSplit find_directly(const NodeView& node, FeatureList& features,
                           bool error_bound, SearchTarget aim);
  bool holds_within_bounds(const NodeView& node, const FoundSplit& found) const;
};

}  // namespace dpdtree
