// Plans that share their parts: joining two of them copies nothing, so that a front of
// many plans costs little more than one.
#pragma once

#include <memory>

#include "plan/value.hpp"

namespace dpdtree {

struct PlanTree;
using PlanPtr = std::shared_ptr<const PlanTree>;  // null: a leaf

struct PlanTree {
  PlanTree(const Split& s, PlanPtr l, PlanPtr r)
      : split(s), left(std::move(l)), right(std::move(r)) {}
  ~PlanTree();
  PlanTree(const PlanTree&) = delete;
  PlanTree& operator=(const PlanTree&) = delete;

  Split split;
  mutable PlanPtr left, right;  // mutable for the destructor alone
};

inline PlanPtr join(const Split& split, const PlanPtr& left, const PlanPtr& right) {
  return std::make_shared<const PlanTree>(split, left, right);
}

Plan flatten(const PlanPtr& plan);

// A plan and what it earns. `x` is the complexity on a front over all alphas (in the
// unit of Cost::complexity_weight), the number of leaves on a front over all leaf
// counts.
struct Point {
  double x = 0;
  Value value;
  PlanPtr plan;
};

// The last tie-break: a leaf wins, then the order of the splits.
inline bool earlier_plan(const PlanPtr& a, const PlanPtr& b) {
  if (b == nullptr) return false;
  return a == nullptr || earlier(a->split, b->split);
}

}  // namespace dpdtree
