// Plain parameters of a fit, already checked and resolved to numbers by the caller.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

// A split that the tree has to make, and those below it by their indices in the list
// (-1: none is given). Either a threshold or the caller's numbers of the categories on
// the left.
struct ForcedSplit {
  u32 feature = 0;
  double threshold = 0;
  bool by_category = false;
  std::vector<u32> categories;
  i32 missing_left = -1;  // 1: left, 0: right, -1: whatever is better
  i32 left = -1, right = -1;
  std::string name;  // for error messages
};

struct TreeParams {
  std::string strategy = "paper";
  std::string generator = "cart";
  std::string criterion = "gini";
  std::string loss = "zero_one";
  std::string complexity = "path_length";
  std::vector<double> cost_matrix;  // of loss "cost_matrix", row after row
  double quantile = 0.5;            // of loss and criterion "quantile"
  double alpha = 0;
  bool mdl = false;  // instead of alpha: a split costs what it takes to describe it
  // Candidates among which folds choose: factors of the price by mdl, and strengths of
  // the shrinkage of values. Empty: 1, and 0. See search/tuning.hpp.
  std::vector<double> price_scales;
  std::vector<double> shrinkages;
  double noise_level = 0;  // one leaf if all splits may be noise at this level; 0: no
  std::vector<u32> n_candidates;
  i64 max_depth = 3;        // -1: unlimited
  i64 max_leaf_nodes = -1;  // -1: unlimited
  u32 min_samples_split = 2;
  u32 min_samples_leaf = 1;
  double min_weight_leaf = 0;
  double min_impurity_decrease = 0;
  i64 max_features = -1;         // -1: all
  u32 max_bins = 0;              // 0: exact ranks
  std::vector<u32> categorical;  // features whose values are numbers of categories
  std::vector<i32> monotonic;    // -1, 0, 1 per feature; empty: none
  std::vector<std::vector<u32>> interaction_groups;  // cover all features, or empty
  std::vector<std::vector<u32>> allowed_features;    // by depth; an empty one: all
  std::vector<double> feature_costs;                 // per feature; empty: none
  std::vector<ForcedSplit> forced_splits;            // the root first; empty: none
  double time_limit = -1;                            // seconds, < 0: none
  u32 n_threads = 1;
  u64 seed = 0;
  // With bins and more rows than that, no bottoms are solved exactly: where the rows
  // are elsewhere nobody could, and the tree shall be the same.
  u64 most_exact_rows = 100'000;
  bool hash_rows = false;  // sets of rows have names, even if the strategy needs none
  i64 stop_after_looks = -1;  // at the clock, see StopToken; < 0: no; for tests
  // For tests and benchmarks: none of them changes a result.
  bool use_split_memo = true;
  bool use_state_memo = true;
  bool use_pruning = true;
  bool use_pair_search = true;
  bool use_bins = true;
  bool replay_nodes = false;  // find the rows of a node anew from its path
};

// A negative number stands for no limit.
inline u32 limit_of(i64 value) {
  return value < 0 ? std::numeric_limits<u32>::max() : static_cast<u32>(value);
}

// Does a search see only some of so many features, drawn at random?
inline bool draws_features(const TreeParams& params, std::size_t n_features) {
  return limit_of(params.max_features) < n_features;
}

}  // namespace dpdtree
