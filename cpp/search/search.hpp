// Everything a search needs, made once by `prepare` and not changed while it runs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "node/constraints.hpp"
#include "plan/local_rows.hpp"
#include "plan/objective.hpp"
#include "search/training_set.hpp"
#include "search/worker.hpp"

namespace dpdtree {

enum class Strategy : u8 { greedy, paper, balanced, optimal };

struct Search {
  Search(const TrainingData& data, const TreeParams& params, StopToken& stop,
         ThreadPool& pool);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const TreeParams params;
  const Strategy strategy;
  StopToken& stop;
  ThreadPool& pool;
  TrainingSet set;
  Problem problem;       // the set, as the stages below see it
  FeatureList features;  // that may be split at all
  std::vector<double> root_stats;
  NodeView root;
  ConstraintRules rules;
  SplitLimits limits;
  Cost objective;
  Finders finders;
  LocalRows local;
  std::optional<ReplayedRows> replayed;  // for tests
  std::optional<SplitMemo> memo;
  std::vector<SplitScratch> pool_scratch;
  Workers workers;  // one per thread; what they write is scratch memory and counters

  const NodeSource& source() const {
    return replayed ? static_cast<const NodeSource&>(*replayed) : local;
  }
  SearchContext& context() const { return workers[0]->context; }
  u32 max_depth() const { return limit_of(params.max_depth); }
  bool limits_leaves() const { return params.max_leaf_nodes > 0; }
  u64 max_leaves() const {
    return limits_leaves() ? static_cast<u64>(params.max_leaf_nodes) : ~0ULL;
  }
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

}  // namespace dpdtree
