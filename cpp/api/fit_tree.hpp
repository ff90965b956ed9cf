// One fit, from raw arrays to a tree and a report.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "api/params.hpp"
#include "api/path.hpp"
#include "data/column.hpp"
#include "data/matrix_view.hpp"
#include "plan/search_context.hpp"
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
  double lower_bound = 0;  // of any tree of that depth
  bool is_optimal = false;
  std::vector<TracePoint> trace;
};

struct PathResult : SearchReport {
  std::vector<PathPoint> points;  // smallest tree first
};

// Labels, if n_classes has an entry per output, or real targets; the other span is
// empty. Several outputs come row after row.
struct TrainingData {
  MatrixView x;
  ClassCodes labels;
  std::span<const double> y;
  const double* weights = nullptr;
  std::vector<u32> n_classes;
  u32 n_outputs = 1;
  // X as `encode_columns` left it: spares fits that differ in their weights only the
  // work. Null: the fit encodes for itself.
  const std::vector<Column>* encoded = nullptr;
};

// How a fit talks to its caller, always on the calling thread.
struct FitHooks {
  std::function<bool()>
      interrupt;  // true: the user wants to stop; Interrupted is thrown
  std::function<bool(const TracePoint&)> progress;  // on every improvement of a proof;
                                                    // false: stop, keep what there is
};

// The columns of data.x, for any number of fits; quantile bins are those of data's
// weights. Empty if the time limit of params has stopped the work.
std::vector<Column> encode_columns(const TrainingData& data, const TreeParams& params,
                                   const FitHooks& hooks);

FitResult fit_tree(const TrainingData& data, const TreeParams& params,
                   const FitHooks& hooks);

// The best trees for all alphas, or for all numbers of leaves; params.alpha counts for
// neither.
enum class PathKind { alpha, leaves };
PathResult fit_path(const TrainingData& data, const TreeParams& params, PathKind kind,
                    const FitHooks& hooks);

// A candidate split as the stage-level tests see it.
struct CandidateSplit {
  u32 feature;
  double threshold;
  bool missing_left;
  double decrease;
};

// The candidates of the root state: n of params.generator.
std::vector<CandidateSplit> root_candidates(const TrainingData& data,
                                            const TreeParams& params, u32 n);

}  // namespace dpdtree
