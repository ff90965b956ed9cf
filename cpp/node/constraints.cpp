#include "node/constraints.hpp"

#include <bit>
#include <cmath>

#include "base/rng.hpp"
#include "loss/clamped.hpp"

namespace dpdtree {
namespace {

enum Salt : u64 { kLow = 1, kHigh, kStrict, kDepth, kGroup, kPaid };

void add(Hash128& hash, Salt what, u64 value) {
  const u64 word = mix64(mix64(what) ^ value);
  hash += {mix64(2 * word), mix64(2 * word + 1)};
}

Hash128 hash_of(const NodeConstraints& c) {
  Hash128 hash;
  add(hash, kLow, std::bit_cast<u64>(c.low));
  add(hash, kHigh, std::bit_cast<u64>(c.high));
  add(hash, kStrict, c.strict);
  if (!c.rules->allowed.empty()) add(hash, kDepth, c.depth);
  for (const u32 group : c.open_groups) add(hash, kGroup, group);
  for (const u32 feature : c.paid) add(hash, kPaid, feature);
  return hash;
}

// The features that some open group has and this depth allows.
std::shared_ptr<const FeatureMask> permitted_features(const NodeConstraints& c) {
  const ConstraintRules& rules = *c.rules;
  const bool by_depth =
      c.depth < rules.allowed.size() && !rules.allowed[c.depth].empty();
  if (rules.groups.empty() && !by_depth) return nullptr;
  if (rules.groups.empty())
    return std::make_shared<const FeatureMask>(rules.allowed[c.depth]);
  auto mask = std::make_shared<FeatureMask>(
      features_of(rules.groups, c.open_groups, rules.n_features));
  for (std::size_t f = 0; by_depth && f < mask->size(); ++f)
    (*mask)[f] &= rules.allowed[c.depth][f];
  return mask;
}

ConstraintsPtr finished(NodeConstraints&& c) {
  c.permitted = permitted_features(c);
  c.hash = hash_of(c);
  return std::make_shared<const NodeConstraints>(std::move(c));
}

ConstraintsPtr child_of(const NodeConstraints& parent, const Split& split, bool left) {
  const ConstraintRules& rules = *parent.rules;
  NodeConstraints c(rules);
  static_cast<ValueBounds&>(c) = parent;
  c.narrow(rules.direction(split.feature), left, split.middle);
  c.strict = parent.strict;
  c.depth = parent.depth + 1;
  c.open_groups = groups_with(rules.groups, parent.open_groups, split.feature);
  c.paid = parent.paid;
  if (parent.price(split.feature) > 0) c.paid.push_back(split.feature);
  return finished(std::move(c));
}

}  // namespace

Hash128 NodeView::key() const {
  Hash128 key = hash;
  if (constraints) key += constraints->hash;
  return key;
}

ConstraintsPtr root_constraints(const ConstraintRules& rules) {
  if (!rules.any()) return nullptr;
  NodeConstraints c(rules);
  c.open_groups = all_groups(rules.groups);
  return finished(std::move(c));
}

ConstraintsPtr made_strict(const ConstraintsPtr& constraints) {
  if (!constraints || constraints->strict) return constraints;
  NodeConstraints c = *constraints;
  c.strict = true;
  c.hash = hash_of(c);
  return std::make_shared<const NodeConstraints>(std::move(c));
}

ConstraintsPtr made_free(const ConstraintsPtr& constraints) {
  if (!constraints || (!constraints->strict && !constraints->bounded()))
    return constraints;
  NodeConstraints c = *constraints;
  c.strict = false;
  static_cast<ValueBounds&>(c) = {};
  c.hash = hash_of(c);
  return std::make_shared<const NodeConstraints>(std::move(c));
}

bool keeps_bounds(const NodeView& node, const Split& split, const NodeView& left,
                  const NodeView& right) {
  const NodeConstraints& c = *node.constraints;
  const i32 direction = c.rules->direction(split.feature);
  if (c.strict && direction == 0) return true;
  const double l = mean_of(left), r = mean_of(right);
  return std::min(l, r) >= c.low && std::max(l, r) <= c.high &&
         (l - r) * direction <= 0;
}

double middle_value(const NodeView& node, const NodeView& left, const NodeView& right,
                    u32 feature, int choice) {
  const NodeConstraints& c = *node.constraints;
  const bool rising = c.rules->direction(feature) > 0;
  const double below = c.clamp(mean_of(rising ? left : right));
  const double above = c.clamp(mean_of(rising ? right : left));
  const bool in_order = below <= above;
  const double greedy = in_order ? (below + above) / 2 : c.clamp(mean_of(node));
  if (choice == 0) return greedy;
  // Errors depend on the side of one half alone: the other one is all there is to try.
  if (c.rules->loss == Criterion::zero_one)
    return c.clamp(greedy > 0.5 ? 0.5 : kLeastOfClassOne);
  if (!in_order) return greedy;
  const double own = choice == 1 ? below : above;
  // A probability of 0 or 1 costs infinitely much where it is wrong.
  const bool sure = c.rules->classes && (own <= 0 || own >= 1);
  return sure && c.rules->loss == Criterion::log_loss ? greedy : own;
}

void constrain_children(const NodeView& node, Split& split, NodeView& left,
                        NodeView& right) {
  const NodeConstraints& c = *node.constraints;
  const bool monotone = c.rules->direction(split.feature) != 0;
  if (monotone && std::isnan(split.middle))
    split.middle = middle_value(node, left, right, split.feature, split.middle_choice);
  left.constraints = child_of(c, split, true);
  right.constraints = child_of(c, split, false);
}

double least_of_bounds(Criterion criterion, const NodeView& node) {
  if (criterion != Criterion::zero_one || !node.constraints) return 0;
  if (node.constraints->high <= 0.5) return node.stats[1];
  return node.constraints->low > 0.5 ? node.stats[0] : 0;
}

double excess_of_bounds(Criterion criterion, const NodeView& node) {
  if (!node.constraints || !node.constraints->bounded()) return 0;
  const double told = node.constraints->clamp(mean_of(node));
  return excess_impurity(criterion, target_sum(node), node.weight, told);
}

}  // namespace dpdtree
