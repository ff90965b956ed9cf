// What a state is worth.
#pragma once

#include "base/types.hpp"
#include "node/split.hpp"

namespace dpdtree {

// Unnormalised sums; smaller is better, compared in the order of the fields.
struct Value {
  double objective = 0;  // loss + penalties
  u64 leaves = 1;
  double impurity = 0;  // of the leaves, by the criterion
};

// The Bellman backup of one action: its penalty and the values of both sides.
inline Value combine(double penalty, const Value& left, const Value& right) {
  return {penalty + left.objective + right.objective, left.leaves + right.leaves,
          left.impurity + right.impurity};
}

// Compares values; differences within the tolerance (rounding) are ties.
struct ValueOrder {
  double tolerance = 0;

  // -1: a is better, 1: b is better, 0: equal.
  int compare(const Value& a, const Value& b) const {
    if (a.objective < b.objective - tolerance) return -1;
    if (b.objective < a.objective - tolerance) return 1;
    if (a.leaves != b.leaves) return a.leaves < b.leaves ? -1 : 1;
    if (a.impurity < b.impurity - tolerance) return -1;
    return b.impurity < a.impurity - tolerance ? 1 : 0;
  }
};

// The last tie-break between two splits of the same value.
inline bool earlier(const Split& a, const Split& b) {
  if (a.feature != b.feature) return a.feature < b.feature;
  if (a.threshold != b.threshold) return a.threshold < b.threshold;
  if (a.categories && b.categories && *a.categories != *b.categories)
    return *a.categories < *b.categories;
  return a.missing < b.missing;
}

}  // namespace dpdtree
