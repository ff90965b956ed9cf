// What a tree may not do, or has to pay for: monotone features, features that may meet
// on a path, features allowed at a depth, and prices of features.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "loss/criterion.hpp"
#include "loss/targets.hpp"
#include "node/feature_rules.hpp"
#include "node/split.hpp"

namespace dpdtree {

// The same for all nodes of a fit. An empty member stands for no such constraint.
struct ConstraintRules {
  std::size_t n_features = 0;
  std::vector<i32> monotonic;  // -1, 0 or 1 per feature
  FeatureGroups groups;
  std::vector<FeatureMask> allowed;           // by depth; beyond: all
  std::vector<double> cost;                   // per feature, for each unit of weight
  Criterion loss = Criterion::squared_error;  // decides which middles are worth a try
  bool classes = false;  // two classes: values are shares of class 1

  bool any() const {
    return !monotonic.empty() || !groups.empty() || !allowed.empty() || !cost.empty();
  }
  // Whether a greedy search ranks splits by more than what they decrease.
  bool rank_splits() const { return !monotonic.empty() || !cost.empty(); }
  i32 direction(u32 feature) const {
    return monotonic.empty() ? 0 : monotonic[feature];
  }

  // How many middles a split of a monotone feature is tried with.
  int n_middles() const { return loss == Criterion::zero_one ? 2 : 3; }
};

// What the splits above a node leave to it. Immutable, shared by nodes it holds for.
struct NodeConstraints : ValueBounds {
  explicit NodeConstraints(const ConstraintRules& r) : rules(&r) {}

  const ConstraintRules* rules;
  // As scikit-learn grows trees: a split of a monotone feature is refused where a side,
  // as it is, would leave the bounds, and so is one that costs more than it gains. Else
  // splits are judged by what they are worth within the bounds.
  bool strict = false;
  u32 depth = 0;
  std::vector<u32> open_groups;
  std::vector<u32> paid;
  std::shared_ptr<const FeatureMask> permitted;  // null: all
  Hash128 hash;

  bool permits(u32 feature) const { return !permitted || (*permitted)[feature] != 0; }

  // Of asking the feature here, for each unit of weight.
  double price(u32 feature) const {
    if (rules->cost.empty() || std::ranges::count(paid, feature) > 0) return 0;
    return rules->cost[feature];
  }
};

using ConstraintsPtr = std::shared_ptr<const NodeConstraints>;

// Of the root; null if the rules allow everything.
ConstraintsPtr root_constraints(const ConstraintRules& rules);

// The same, with `strict` set.
ConstraintsPtr made_strict(const ConstraintsPtr& constraints);

// The same without bounds and not strict: it is shared by many nodes of the same rows.
ConstraintsPtr made_free(const ConstraintsPtr& constraints);

// Whether a split that is the best without bounds is so within them: neither side
// leaves them, so that nothing is lost. `strict` asks for the order of monotone sides
// only.
bool keeps_bounds(const NodeView& node, const Split& split, const NodeView& left,
                  const NodeView& right);

// The value that separates the sides of a split of a monotone feature: leaves on one
// side stay below it, those on the other above. `choice` 0 is what a greedy tree takes.
double middle_value(const NodeView& node, const NodeView& left, const NodeView& right,
                    u32 feature, int choice);

// Settles split.middle and gives both children of a constrained node their own
// constraints.
void constrain_children(const NodeView& node, Split& split, NodeView& left,
                        NodeView& right);

// The sum of targets that the mean of a node is made of (see ConstraintRules::classes).
inline double target_sum(const NodeView& node) { return node.stats[1]; }
inline double mean_of(const NodeView& node) { return target_sum(node) / node.weight; }

// No tree below the node has less, if its bounds leave one class to predict; else 0.
double least_of_bounds(Criterion criterion, const NodeView& node);

// What its bounds cost the node as a leaf, beyond what its own mean costs.
double excess_of_bounds(Criterion criterion, const NodeView& node);

}  // namespace dpdtree
