// What a generator needs besides the state: the problem, the splitter, its memo, and
// one worker's scratch memory.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "node/partition.hpp"
#include "split/finder.hpp"

namespace dpdtree {

struct HashOfSet {
  std::size_t operator()(const Hash128& h) const { return h.lo; }
};

// Best splits of subsets already searched; nodes of a small CART recur as states. Holds
// at most `capacity` entries: later ones are not kept, which changes no result.
class SplitMemo {
 public:
  explicit SplitMemo(std::size_t capacity) : shard_capacity_(capacity / kShards) {}

  bool lookup(const Hash128& key, bool with_bound, FoundSplit& out);
  void store(const Hash128& key, bool with_bound, const FoundSplit& split);

 private:
  struct Entry {
    FoundSplit split;
    bool with_bound;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<Hash128, Entry, HashOfSet> map;
  };
  static constexpr std::size_t kShards = 16;
  std::size_t shard_capacity_;
  std::array<Shard, kShards> shards_;
};

struct SearchCounters {
  u64 states = 0;
  u64 candidates = 0;
  u64 splits_searched = 0;
  u64 split_memo_hits = 0;
  u64 state_memo_hits = 0;
  u64 pruned = 0;

  void add(const SearchCounters& o);
};

// What a split is searched for: the criterion that proposes splits, a second criterion
// for more variety, or the loss itself (for levels that are solved exhaustively).
enum class SearchTarget : u8 { criterion, second, loss };

struct Finders {
  struct Entry {
    std::unique_ptr<SplitFinder> finder;  // null: there is none for this aim
    Criterion criterion = Criterion::gini;
  };
  std::array<Entry, 3> entries;

  const Entry& operator[](SearchTarget aim) const {
    return entries[static_cast<std::size_t>(aim)];
  }
  Entry& operator[](SearchTarget aim) { return entries[static_cast<std::size_t>(aim)]; }
};

// Belongs to one worker.
struct SearchContext {
  const Problem& problem;
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
