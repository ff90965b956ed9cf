// Exact minimisation over all trees of a given depth, by bisecting intervals of
// thresholds.
//
// With t moving to the right the left side only gains rows and the right side only
// loses some, and the best loss of a set of rows never falls when rows are added (any
// tree for the larger set serves the smaller one as well). So for thresholds between
// two that have been evaluated, a < t < b:
//     value(t) >= penalty + V(left of a) + V(right of b),
// and as one row more costs at most `row_cost`, also
//     value(t) >= penalty + V(left of b) + V(right of a) - row_cost · weight(a … b).
// Intervals whose bound reaches the incumbent are closed; the others are divided.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/stop.hpp"
#include "solve/cost.hpp"
#include "solve/exact/ranked_rows.hpp"
#include "solve/exact/stumps.hpp"

namespace dpdtree {

// The value of a subset under the limits, and the bound that ignores them (only that
// one never falls when rows are added).
struct ExactValue {
  double value = 0;
  double bound = 0;
};

// The best split of a subset (the first `left_rows` entries of the ordering go left)
// and those of its children, down to the last level but one; there one scan tells the
// rest.
struct ExactChoice {
  bool split = false;
  u32 ordering = 0;
  u32 left_rows = 0;
  u64 left_leaves = 0, right_leaves = 0;  // how many leaves the children may have
  std::shared_ptr<const ExactChoice> left, right;
};

// Thrown when the token stops a search that has no use for half an answer.
struct SearchStopped {};

struct ExactParams {
  Cost cost;
  StumpLimits limits;
  double row_cost_per_level = 0;  // alpha for path lengths
  double tolerance = 0;           // values closer than this are equal
};

struct Progress {
  double objective;
  double lower_bound;
};

class ThresholdSearch {
 public:
  ThresholdSearch(const ExactData& data, const ExactParams& params, StopToken& stop);

  // The exact value of the rows with that many levels and at most that many leaves, and
  // the choice that earns it.
  ExactValue solve(const RankedRows& rows, u32 levels, u64 leaves, ExactChoice* choice);

  // The same, anytime: starts from a known objective, reports each improvement of
  // either bound, and returns what it knows when it is stopped. `choice` is set only if
  // something better than `incumbent` was found.
  struct Outcome {
    double value;
    double lower_bound;
    bool complete;
  };
  Outcome prove(const RankedRows& rows, u32 levels, u64 leaves, double incumbent,
                ExactChoice& choice, const std::function<void(Progress)>& report);

  // All that fit into that many levels.
  static u64 most_leaves(u32 levels) { return levels < 63 ? 1ULL << levels : ~0ULL; }

  u64 evaluations() const { return evaluations_; }

 private:
  struct Interval;
  struct Feature;
  struct Level;
  struct Job;

  ExactValue leaf_value(const RankedRows& rows) const;
  ExactValue stump_value(const RankedRows& rows);
  ExactValue value_of(const SubsetLoss& loss, u64 leaves) const;
  double least_loss(const RankedRows& rows, u64 leaves) const;

  void share_out(Job& job, u64 leaves, const std::function<void(Progress)>* report);
  void open_features(Job& job);
  void run(Job& job, const std::function<void(Progress)>* report);
  void evaluate(Job& job, u32 ordering, const std::vector<u32>& cuts);
  void evaluate_batch(Job& job, const Feature& f, const std::vector<u32>& cuts,
                      std::vector<std::pair<ExactValue, ExactValue>>& out);
  std::pair<ExactValue, ExactValue> evaluate_deep(Job& job, const Feature& f, u32 cut,
                                                  ExactChoice& choice);
  void divide(Job& job, Feature& f, const std::vector<u32>& cuts,
              const std::vector<std::pair<ExactValue, ExactValue>>& values);
  void close_intervals(Job& job, Feature& f) const;
  std::vector<u32> choose_cuts(const Job& job, const Feature& f) const;
  double row_cost(u32 levels) const;

  const ExactData& data_;
  ExactParams params_;
  StopToken& stop_;
  std::unique_ptr<StumpSolver> stumps_;
  std::vector<RankedRows> left_, right_;  // one of each per level
  std::vector<u8> step_;
  std::vector<std::vector<double>> promise_;  // per level and ordering: last best value
  u64 evaluations_ = 0;
};

}  // namespace dpdtree
