#include "search/refine.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "loss/leaf.hpp"
#include "search/refine_rows.hpp"

namespace dpdtree {
namespace {

// Wherever a node is visited, what is kept of it and of those below holds for the rows
// of the visit: they are evaluated anew when a split above them moves, and put back as
// they were if that does not pay.
template <class RefineRows>
class Refiner {
 public:
  template <class... Where>
  explicit Refiner(const RefineJob& job, const Where&... where)
      : job_(job), c_(job.context), p_(job.params), rows_(job, where...) {}

  Solution run(const NodeView& root, const Solution& start) {
    Solution best = start;
    add_plan(start.plan);
    const Part all = rows_.root(root);
    Value value = evaluate(0, all, rows_.stats(all));
    if (!std::isfinite(value.objective)) return best;
    for (u32 sweep = 0; sweep < p_.max_sweeps && !c_.poller.stopped(); ++sweep) {
      const Value before = value;
      value = improve(0, all, p_.max_depth, false);
      if (p_.order.compare(value, before) >= 0) break;
    }
    if (p_.order.compare(value, best.value) < 0) {
      best.value = value;
      best.plan = plan_of(0);
    }
    return best;
  }

 private:
  using Part = typename RefineRows::Part;
  using Halves = typename RefineRows::Halves;

  // Returns the index of its root.
  int add_plan(const Plan& plan) {
    const int here = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    if (plan == nullptr) return here;
    node(here).split = plan->split;
    const int left = add_plan(plan->left), right = add_plan(plan->right);
    node(here).left = left;
    node(here).right = right;
    return here;
  }

  Plan plan_of(int i) {
    if (node(i).leaf()) return nullptr;
    return join(node(i).split, plan_of(node(i).left), plan_of(node(i).right));
  }

  RefNode& node(int i) { return nodes_[static_cast<std::size_t>(i)]; }

  static Value impossible() { return {std::numeric_limits<double>::infinity(), 1, 0}; }

  // The value of the subtree on these rows; its nodes keep what is new.
  Value evaluate(int i, const Part& part, const std::vector<double>& stats) {
    rows_.look_up(nodes_, i, part);
    return keep_value(i, part, stats);
  }

  Value keep_value(int i, const Part& part, const std::vector<double>& stats) {
    const Value value = evaluated(i, part, stats);
    node(i).value = value;
    return value;
  }

  Value evaluated(int i, const Part& part, const std::vector<double>& stats) {
    const double weight = c_.problem.targets.total_weight(stats);
    const std::size_t n = rows_.size(part);
    if (n < c_.limits.min_samples_leaf || n == 0 || weight < c_.limits.min_weight_leaf)
      return impossible();
    if (node(i).leaf()) {
      keep_leaf(i, part, stats);
      return leaf_value(part, stats);
    }
    if (n < c_.limits.min_samples_split) return impossible();
    node(i).stats = stats;
    const Halves h(rows_, node(i).split, part);
    const auto [left_stats, right_stats] = rows_.stats_of(h, stats);
    const Value left = keep_value(node(i).left, h.left, left_stats);
    const Value right = keep_value(node(i).right, h.right, right_stats);
    node(i).price = price(part, weight, node(i).split);
    return combine(node(i).price, left, right);
  }

  double price(const Part& part, double weight, const Split& split) {
    if (!p_.cost.is_mdl()) return p_.cost.penalty(weight);
    return p_.cost.price(weight, rows_.log_choices(part, split));
  }

  Value leaf_value(const Part& part, const std::vector<double>& stats) const {
    return p_.cost.leaf(rows_.view(part, stats));
  }

  // `moved`: other rows than at the last visit. What has settled is not tried again.
  Value improve(int i, const Part& part, u32 levels, bool moved) {
    if (c_.poller.stopped() || (!moved && node(i).settled)) return node(i).value;
    const bool bottom =
        node(i).leaf() || (node(node(i).left).leaf() && node(node(i).right).leaf());
    bool changed = false;
    const Value value = bottom ? improve_bottom(i, part, levels, changed)
                               : improve_tree(i, part, levels, moved, changed);
    node(i).settled = !changed;
    node(i).value = value;
    return value;
  }

  Value improve_tree(int i, const Part& part, u32 levels, bool moved, bool& changed) {
    const std::vector<double> stats = node(i).stats;
    changed = improve_inner(i, part, stats);
    moved |= changed;
    const Halves h(rows_, node(i).split, part);
    const Value left = improve(node(i).left, h.left, levels - 1, moved);
    const Value right = improve(node(i).right, h.right, levels - 1, moved);
    changed |= !node(node(i).left).settled || !node(node(i).right).settled;
    const Value split = combine(node(i).price, left, right);
    const Value leaf = leaf_value(part, stats);
    if (p_.order.compare(leaf, split) > 0) return split;
    make_leaf(i, part, stats);
    changed = true;
    return leaf;
  }

  void make_leaf(int i, const Part& part, const std::vector<double>& stats) {
    node(i).left = node(i).right = -1;
    keep_leaf(i, part, stats);
  }

  void keep_leaf(int i, const Part& part, const std::vector<double>& stats) {
    const Targets& t = c_.problem.targets;
    node(i).stats = stats;
    if (!t.classification())
      node(i).predictions =
          leaf_predictions(p_.cost.loss, t, rows_.view(part, stats).rows, stats);
  }

  // A leaf or a split into two leaves: the best split for the loss, at any threshold.
  Value improve_bottom(int i, const Part& part, u32 levels, bool& changed) {
    const std::vector<double> stats = rows_.stats(part);
    const NodeView view = rows_.named_view(part, stats);
    // Sums that round depend on how they are added up.
    const bool exact = c_.problem.targets.exact_sums();
    const Value now = exact ? node(i).value : evaluate(i, part, stats);
    const Value leaf = leaf_value(part, stats);
    const bool may_split = levels > 0 && (p_.may_grow || !node(i).leaf());
    if (may_split && view.n() >= c_.limits.min_samples_split) {
      FeatureList features = job_.features;
      const FoundSplit found = c_.find(view, features, false, SearchTarget::loss);
      Split split = found.split;
      if (found.found) settle(split, view);
      if (found.found && (node(i).leaf() || !split.same_rows(node(i).split))) {
        const std::vector<RefNode> old = nodes_;
        set_split(i, split);
        const Value value = evaluate(i, part, stats);
        if (p_.order.compare(value, now) < 0 && p_.order.compare(value, leaf) < 0) {
          changed = true;
          return value;
        }
        nodes_ = old;
      }
    }
    if (p_.order.compare(leaf, now) > 0) return now;
    changed = !node(i).leaf();
    make_leaf(i, part, stats);
    return leaf;
  }

  // A leaf becomes a split into two new leaves; a split only changes.
  void set_split(int i, const Split& split) {
    node(i).split = split;
    if (!node(i).leaf()) return;
    const int first = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    nodes_.emplace_back();
    node(i).left = first;
    node(i).right = first + 1;
  }

  // Gives missing values a side.
  void settle(Split& split, const NodeView& view) {
    if (split.missing == Missing::heavier) rows_.settle(view, split);
  }

  // The best split of an inner node with both subtrees as they are; true if it moved.
  bool improve_inner(int i, const Part& part, const std::vector<double>& stats) {
    const Value before = node(i).value;
    const FoundSplit found = rows_.best_for_sides(nodes_, node(i), part);
    if (!found.found) return false;
    Split split = found.split;
    settle(split, rows_.view(part, stats));
    if (split.same_rows(node(i).split)) return false;
    const std::vector<RefNode> old = nodes_;
    node(i).split = std::move(split);
    if (p_.order.compare(evaluate(i, part, stats), before) < 0) return true;
    nodes_ = old;
    return false;
  }

  const RefineJob& job_;
  SearchContext& c_;
  const RefineParams& p_;
  RefineRows rows_;
  RefNodes nodes_;
};

}  // namespace

Solution refine(SearchContext& context, const SideSearch& sides,
                const RefineParams& params, const NodeView& root,
                const FeatureList& features, const Solution& start,
                const RemoteRows* elsewhere) {
  const RefineJob job{context, sides, params, features};
  if (elsewhere == nullptr) return Refiner<LocalRefineRows>(job).run(root, start);
  return Refiner<RemoteRefineRows>(job, *elsewhere).run(root, start);
}

}  // namespace dpdtree
