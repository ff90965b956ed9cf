// The table of the Markov decision process near its best tree: states, their best
// actions, and what each is worth with the best completion that the strategy knows. A
// value is that of a fit with these splits forced (search/forced.hpp).
#pragma once

#include <vector>

#include "search/search.hpp"

namespace dpdtree {

// Sums over rows are divided by the weight of all rows, in the caller's unit: what a
// state adds to the loss of a tree.
struct Worth {
  double loss = 0;
  double complexity = 0;
  double feature_cost = 0;
  double objective = 0;
  i64 n_leaves = 1;
};

struct ActionRecord {
  u32 feature = 0;
  double threshold = 0;  // NaN: by categories
  bool missing_left = false;
  std::vector<i64> categories;  // the caller's numbers, on the left
  i64 left = 0, right = 0;      // states
  Worth worth;
};

struct StateRecord {
  u32 depth = 0;
  i64 n_rows = 0;
  double weight = 0;
  double impurity = 0;
  std::vector<double> value;  // see node_record.hpp
  Worth leaf;
  Worth best;  // of the strategy's own tree, which begins with the first action …
  bool stops = true;  // … unless it is a leaf
  std::vector<ActionRecord> actions;
};

struct AlternativesParams {
  // How many actions a state of each depth has at most; 1 beyond the list.
  std::vector<u32> k;
  // Of states that only other splits than the tree's own lead to; empty: k.
  std::vector<u32> k_elsewhere;
  // Do params.forced_splits make up the tree? Then its own splits need no search.
  bool tree_is_given = false;
};

// The first action is the strategy's own, the others follow by their objectives. State
// 0 is that of all rows; a state comes before those below it. With max_leaf_nodes, a
// state may have the leaves that its part of the tree has, and those left over: the
// other parts keep theirs.
std::vector<StateRecord> find_alternatives(const Search& search,
                                           const AlternativesParams& wanted);

}  // namespace dpdtree
