// One fit, from raw arrays to a tree and a report.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "plan/search_context.hpp"
#include "search/alternatives.hpp"
#include "search/params.hpp"
#include "search/path.hpp"
#include "search/search.hpp"
#include "search/strategies.hpp"
#include "search/training_set.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

// How far a search had come: the anytime curve.
struct TracePoint {
  double seconds;
  double objective;
  double lower_bound;
};

// How a search went.
struct SearchReport {
  SearchCounters counters;
  double seconds_encode = 0;
  double seconds_solve = 0;
  std::string stop_reason = "completed";
  std::vector<u32> features_with_missing;
};

struct FitResult : SearchReport {
  Tree tree;
  double loss = 0;
  double complexity = 0;
  double feature_cost = 0;
  double objective = 0;
  // Of any tree of that depth; NaN if no proof was tried and none came by itself.
  double lower_bound = std::numeric_limits<double>::quiet_NaN();
  bool is_optimal = false;
  Tuned tuned;
  std::vector<TracePoint> trace;
};

struct PathResult : SearchReport {
  std::vector<PathPoint> points;  // smallest tree first
};

// What a fit is doing.
struct Heartbeat {
  double seconds;
  const char* stage;
  double share;  // of the stage that is done
};

// How a fit talks to its caller, always on the calling thread.
struct FitHooks {
  // Every 20 ms or so. True: the user wants to stop; Interrupted is thrown.
  std::function<bool(const Heartbeat&)> interrupt;
  // On every improvement of a proof; false: stop, keep what there is.
  std::function<bool(const TracePoint&)> progress;
};

// What a stop token asks every 20 ms; null hooks: nothing.
std::function<bool()> heartbeats(const FitHooks& hooks, const StopToken& stop);
void throw_if_interrupted(const StopToken& stop);

// The columns of data.x, for any number of fits; quantile bins are those of data's
// weights. Empty if the time limit of params has stopped the work.
std::vector<Column> encode_columns(const TrainingData& data, const TreeParams& params,
                                   const FitHooks& hooks);

FitResult fit_tree(const TrainingData& data, const TreeParams& params,
                   const FitHooks& hooks);

// The best trees for all alphas, or for all numbers of leaves; params.alpha counts for
// neither.
PathResult fit_path(const TrainingData& data, const TreeParams& params, FrontKind kind,
                    const FitHooks& hooks);

// States, their best actions and what these are worth; see search/alternatives.hpp.
struct AlternativesResult : SearchReport {
  std::vector<StateRecord> states;
  Tuned tuned;
};

AlternativesResult find_alternatives(const TrainingData& data, const TreeParams& params,
                                     const AlternativesParams& wanted,
                                     const FitHooks& hooks);

}  // namespace dpdtree
