// Everything a search needs, made once by `prepare` and not changed while it runs.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "node/constraints.hpp"
#include "plan/local_rows.hpp"
#include "plan/objective.hpp"
#include "plan/remote_rows.hpp"
#include "search/training_set.hpp"
#include "search/worker.hpp"

namespace dpdtree {

enum class Strategy : u8 { greedy, paper, balanced, optimal };

struct ProgramMemos;

// What the rows themselves chose (see tuning.hpp).
struct Tuned {
  double price_scale = 1;  // of splits; infinity: the tree is one leaf
  double shrinkage = 0;    // of values, see tree/shrinkage.hpp
  bool doubtful = false;   // all splits of the greedy tree may be noise

  bool one_leaf() const {
    return price_scale == std::numeric_limits<double>::infinity();
  }
};

// What the searches of one fit share. Members refer to one another.
struct SearchParts {
  SearchParts(const TrainingData& data, const TreeParams& params, StopToken& stop,
              ThreadPool& pool);
  // The rows are elsewhere.
  SearchParts(const std::vector<Column>& columns, const Targets& units,
              KnownNodes& known, const TreeParams& params, StopToken& stop,
              ThreadPool& pool);
  SearchParts(const SearchParts&) = delete;
  SearchParts& operator=(const SearchParts&) = delete;

  const TreeParams params;
  StopToken& stop;
  ThreadPool& pool;
  TrainingSet set;
  Problem problem;       // the set, as the stages below see it
  FeatureList features;  // that may be split at all
  std::vector<double> root_stats;
  NodeView root;  // of all rows
  ConstraintRules rules;
  SplitLimits limits;
  Finders finders;
  LocalRows local;
  std::optional<RemoteRows> remote;
  const RemoteRows* elsewhere = nullptr;  // where the rows are
  std::optional<ReplayedRows> replayed;   // for tests
  std::optional<SplitMemo> memo;
  std::vector<SplitScratch> pool_scratch;
  Workers workers;  // one per thread; what they write is scratch memory and counters
  std::optional<double> typical_price;  // once it is known, see description_price.hpp
  std::shared_ptr<ProgramMemos> memos;  // where many searches share states; may be null

  const NodeSource& source() const {
    if (elsewhere != nullptr) return *elsewhere;
    return replayed ? static_cast<const NodeSource&>(*replayed) : local;
  }
};

// Which splits of a state are followed, by its rows and depth: searches that end at
// different depths follow the same ones, but for the last two levels.
using ChosenSplits = Memo<std::vector<Split>>;

// A search for the best subtree of a node: of all rows, or of those below splits that
// are given (`below`).
struct Search {
  explicit Search(const std::shared_ptr<SearchParts>& shared);

  std::shared_ptr<SearchParts> parts;
  const TreeParams& params;
  Strategy strategy;
  StopToken& stop;
  ThreadPool& pool;
  const TrainingSet& set;
  const Problem& problem;
  const ConstraintRules& rules;
  const SplitLimits& limits;
  const Finders& finders;
  const Workers& workers;
  FeatureList features;
  NodeView root;
  u32 depth = 0;                         // of the root, below that of all rows
  u64 leaf_limit;                        // of the subtree
  u32 depth_limit;                       // of the tree
  std::shared_ptr<ChosenSplits> chosen;  // where several searches share it; may be null
  bool deepens = false;                  // after searches for fewer levels
  Cost objective;                        // in the unit of all rows
  Tuned tuned;

  // The same search at a node below the root.
  Search below(const NodeView& node, u32 node_depth) const {
    Search sub = *this;
    sub.root = node;
    sub.depth = node_depth;
    return sub;
  }

  // The same search with a level less; there must be one.
  Search shallower() const {
    Search sub = *this;
    --sub.depth_limit;
    return sub;
  }

  const NodeSource& source() const { return parts->source(); }
  SearchContext& context() const { return workers[0]->context; }
  // Levels below the root.
  u32 max_depth() const { return depth_limit - depth; }
  bool limits_leaves() const { return params.max_leaf_nodes > 0; }
  u64 max_leaves() const { return leaf_limit; }
  double root_loss() const {  // in the caller's unit, mean of a row
    return objective.leaf_loss(root) / root.weight * objective.loss_unit;
  }
  // A limit that forbids splits by what they decrease, or hides features, rules out
  // levels that are solved exhaustively.
  bool may_exhaust_levels() const {
    return params.min_impurity_decrease <= 0 &&
           !draws_features(params, problem.columns.size());
  }
};

// Throws InputError if the parameters do not fit the data.
std::unique_ptr<const Search> prepare(const TrainingData& data,
                                      const TreeParams& params, StopToken& stop,
                                      ThreadPool& pool);

// The same for rows that are elsewhere. Throws Unanswered if not enough is known of
// them yet.
std::unique_ptr<const Search> prepare(const std::vector<Column>& columns,
                                      const Targets& units, KnownNodes& known,
                                      const TreeParams& params, StopToken& stop,
                                      ThreadPool& pool);

}  // namespace dpdtree
