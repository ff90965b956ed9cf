// What a boosted fit may be told; checked by the caller.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace dpdtree::boosting {

// How far a tree looks ahead: not at all; root by a small DP on some rows, and the
// largest node below it two levels deep; the top nodes two levels deep; the whole tree
// of limited depth by DP. With few rows `light` is `strong`.
enum class Lookahead { none, light, strong, full };

// Throws InputError for a name that is none of them.
Lookahead lookahead_named(std::string_view name);
std::string_view name_of(Lookahead lookahead);

struct Params {
  std::string loss = "squared_error";
  double quantile = 0.5;
  bool newton = true;
  double learning_rate = 0.1;

  Lookahead lookahead = Lookahead::light;
  std::vector<u32> n_candidates = {4, 4, 1};  // per depth, for `full`; then 1
  u32 max_leaf_nodes = 31;                    // 0: no limit
  u32 max_depth = 0;                          // 0: no limit
  u32 min_samples_leaf = 20;
  double min_child_weight = 0;
  double l2_regularization = 0;
  double reg_alpha = 0;
  double gamma = 0;  // the least a split has to gain

  double subsample = 1;
  double max_features = 1;  // share of the features drawn per node
  u32 max_bins = 255;
  std::vector<int> monotonic_cst;                 // per feature, or empty
  std::vector<std::vector<u32>> interaction_cst;  // groups of features, or empty
  std::vector<bool> categorical;                  // per feature, or empty

  // Trees of more rows on average have histograms with wide cells.
  std::size_t most_packed_rows = std::size_t{1} << 22;

  u64 seed = 0;
  unsigned n_threads = 1;
  double time_limit = -1;  // seconds, < 0: none
};

inline bool wants_wide_cells(std::size_t n_rows, const Params& params) {
  return n_rows > params.most_packed_rows;
}

}  // namespace dpdtree::boosting
