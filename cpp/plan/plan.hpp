// A plan says how to split, and how to go on: the one form in which the searches know
// trees. Plans share their parts, so that joining two copies nothing and a front of
// many plans costs little more than one.
#pragma once

#include <memory>
#include <utility>

#include "plan/value.hpp"

namespace dpdtree {

struct PlanNode;
using Plan = std::shared_ptr<const PlanNode>;  // null: a leaf

struct PlanNode {
  PlanNode(const Split& s, Plan l, Plan r)
      : split(s), left(std::move(l)), right(std::move(r)) {}
  ~PlanNode();
  PlanNode(const PlanNode&) = delete;
  PlanNode& operator=(const PlanNode&) = delete;

  Split split;
  mutable Plan left, right;  // mutable for the destructor alone
};

inline Plan join(const Split& split, const Plan& left, const Plan& right) {
  return std::make_shared<const PlanNode>(split, left, right);
}

// A plan and what it earns. `x` is its place on a front: the complexity over all alphas
// (in the unit of Cost::complexity_weight), the number of leaves over all leaf counts.
struct Solution {
  Value value;
  Plan plan;
  double x = 0;
};

// The last tie-break: a leaf wins, then the order of the splits.
inline bool earlier_plan(const Plan& a, const Plan& b) {
  if (b == nullptr) return false;
  return a == nullptr || earlier(a->split, b->split);
}

}  // namespace dpdtree
