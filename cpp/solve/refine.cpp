#include "solve/refine.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace dpdtree {
namespace {

struct RefNode {
  Split split;
  int left = -1;  // -1: leaf; the right child is right
  int right = -1;
  std::vector<double> stats;  // of leaves, as of the last evaluation
  bool settled = false;       // the last visit changed nothing from here down
  Value value;                // as of the last visit

  bool leaf() const { return left < 0; }
};

class Refiner {
 public:
  Refiner(SearchContext& context, const SideSearch& sides, const RefineParams& params,
          FeatureList features)
      : c_(context), sides_(sides), p_(params), features_(std::move(features)) {}

  Solution run(const NodeView& root, const Solution& start) {
    Solution best = start;
    from_plan(start.plan);
    const std::vector<Row> rows(root.rows.begin(), root.rows.end());
    Value value = evaluate(0, rows);
    if (!std::isfinite(value.objective)) return best;
    for (u32 sweep = 0; sweep < p_.max_sweeps && !c_.poller.stopped(); ++sweep) {
      const Value before = value;
      value = improve(0, rows, p_.max_depth, false);
      if (p_.order.compare(value, before) >= 0) break;
    }
    if (p_.order.compare(value, best.value) < 0) {
      best.value = value;
      best.plan = to_plan();
    }
    return best;
  }

 private:
  void from_plan(const Plan& plan) {
    nodes_.resize(plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      nodes_[i].split = plan[i].split;
      if (plan[i].right == 0) continue;
      nodes_[i].left = static_cast<int>(i + 1);
      nodes_[i].right = static_cast<int>(i + plan[i].right);
    }
  }

  Plan to_plan() const {
    Plan plan;
    append(0, plan);
    return plan;
  }

  void append(int i, Plan& plan) const {
    const RefNode& node = nodes_[static_cast<std::size_t>(i)];
    const std::size_t here = plan.size();
    plan.push_back({node.split, 0});
    if (node.leaf()) return;
    append(node.left, plan);
    plan[here].right = static_cast<u32>(plan.size() - here);
    append(node.right, plan);
  }

  RefNode& node(int i) { return nodes_[static_cast<std::size_t>(i)]; }

  // Rows that go left first; returns where the right ones start.
  std::size_t divide(const Split& split, std::vector<Row>& rows) {
    const Column& column = c_.problem.columns[split.feature];
    return partition_rows(column, split.cut, split.missing == Missing::left, rows,
                          rows.data(), c_.spare_rows);
  }

  std::pair<std::vector<Row>, std::vector<Row>> children(const Split& split,
                                                         std::vector<Row> rows) {
    const auto middle = static_cast<std::ptrdiff_t>(divide(split, rows));
    return {{rows.begin(), rows.begin() + middle}, {rows.begin() + middle, rows.end()}};
  }

  static Value impossible() { return {std::numeric_limits<double>::infinity(), 1, 0}; }

  // The value of the subtree on these rows; its leaves keep their new statistics.
  Value evaluate(int i, const std::vector<Row>& rows) {
    std::vector<double> stats(c_.problem.targets.stats_width());
    const NodeView view = make_node(c_.problem, rows, stats.data());
    if (view.n() < c_.limits.min_samples_leaf ||
        view.weight < c_.limits.min_weight_leaf || rows.empty())
      return impossible();
    if (node(i).leaf()) {
      node(i).stats = stats;
      return p_.cost.leaf(stats);
    }
    if (view.n() < c_.limits.min_samples_split) return impossible();
    const auto [l, r] = children(node(i).split, rows);
    const Value left = evaluate(node(i).left, l);
    const Value right = evaluate(node(i).right, r);
    return combine(p_.cost.penalty(view.weight), left, right);
  }

  // `moved`: other rows than at the last visit. What has settled is not tried again.
  Value improve(int i, const std::vector<Row>& rows, u32 levels, bool moved) {
    if (c_.poller.stopped()) return evaluate(i, rows);
    if (!moved && node(i).settled) return node(i).value;
    const bool bottom =
        node(i).leaf() || (node(node(i).left).leaf() && node(node(i).right).leaf());
    bool changed = false;
    const Value value = bottom ? improve_bottom(i, rows, levels, changed)
                               : improve_tree(i, rows, levels, moved, changed);
    node(i).settled = !changed;
    node(i).value = value;
    return value;
  }

  Value improve_tree(int i, const std::vector<Row>& rows, u32 levels, bool moved,
                     bool& changed) {
    changed = improve_inner(i, rows);
    moved |= changed;
    const auto [l, r] = children(node(i).split, rows);
    std::vector<double> stats(c_.problem.targets.stats_width());
    const NodeView view = make_node(c_.problem, rows, stats.data());
    const Value left = improve(node(i).left, l, levels - 1, moved);
    const Value right = improve(node(i).right, r, levels - 1, moved);
    changed |= !node(node(i).left).settled || !node(node(i).right).settled;
    const Value split = combine(p_.cost.penalty(view.weight), left, right);
    const Value leaf = p_.cost.leaf(stats);
    if (p_.order.compare(leaf, split) > 0) return split;
    make_leaf(i, stats);
    changed = true;
    return leaf;
  }

  void make_leaf(int i, const std::vector<double>& stats) {
    node(i).left = node(i).right = -1;
    node(i).stats = stats;
  }

  // A leaf or a split into two leaves: the best split for the loss, at any threshold.
  Value improve_bottom(int i, const std::vector<Row>& rows, u32 levels, bool& changed) {
    std::vector<double> stats(c_.problem.targets.stats_width());
    const NodeView view = make_node(c_.problem, rows, stats.data());
    const Value now = evaluate(i, rows);
    const Value leaf = p_.cost.leaf(stats);
    if (levels > 0 && view.n() >= c_.limits.min_samples_split) {
      FeatureList features = features_;
      const FoundSplit found = c_.find(view, features, false, Aim::loss);
      if (found.found) {
        const RefNode old = node(i);
        Split split = found.split;
        settle(split, view);
        set_split(i, split);
        const Value value = evaluate(i, rows);
        if (p_.order.compare(value, now) < 0 && p_.order.compare(value, leaf) < 0) {
          changed = true;
          return value;
        }
        node(i) = old;
        evaluate(i, rows);
      }
    }
    if (p_.order.compare(leaf, now) > 0) return now;
    changed = !node(i).leaf();
    make_leaf(i, stats);
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

  // Gives missing values a side: split_stats decides it, as everywhere.
  void settle(Split& split, const NodeView& view) {
    std::vector<double> stats(2 * c_.problem.targets.stats_width());
    split_stats(c_.problem, view, split, stats.data(),
                stats.data() + c_.problem.targets.stats_width());
  }

  // The best split of an inner node with both subtrees as they are; true if it moved.
  bool improve_inner(int i, const std::vector<Row>& rows) {
    for (const Row r : rows) sides_.targets.y[r] = 0;
    const auto before = evaluate(i, rows);
    assign_costs(node(i).left, rows, 1.0, 0);
    assign_costs(node(i).right, rows, -1.0, 0);
    std::vector<double> stats(3);
    sides_.targets.accumulate(rows, stats.data());
    const NodeView view{rows, stats, static_cast<double>(rows.size()), {}};
    FeatureList features = features_;
    const FoundSplit found =
        sides_.finder.find(view, features, {}, c_.scratch, c_.poller);
    if (!found.found) return false;
    const Split old = node(i).split;
    Split split = found.split;
    std::vector<double> own(c_.problem.targets.stats_width());
    settle(split, make_node(c_.problem, rows, own.data()));
    node(i).split = split;
    if (p_.order.compare(evaluate(i, rows), before) < 0) return true;
    node(i).split = old;
    evaluate(i, rows);
    return false;
  }

  // Adds sign times what each row would cost in subtree i, as its leaves are now.
  void assign_costs(int i, const std::vector<Row>& rows, double sign, u32 passed) {
    if (rows.empty()) return;
    const RefNode& here = node(i);
    if (!here.leaf()) {
      const auto [l, r] = children(here.split, rows);
      const int left = here.left, right = here.right;
      assign_costs(left, l, sign, passed + 1);
      assign_costs(right, r, sign, passed + 1);
      return;
    }
    const double path = p_.cost.complexity == Complexity::path_length
                            ? p_.cost.penalty_rate() * passed
                            : 0;
    const Targets& t = c_.problem.targets;
    for (const Row r : rows) {
      const double w = t.weighted() ? t.weight[r] : 1.0;
      sides_.targets.y[r] += sign * w * (path + row_cost(here.stats, r));
    }
  }

  // The loss of one row in a leaf with these statistics.
  double row_cost(const std::vector<double>& stats, Row r) const {
    const Targets& t = c_.problem.targets;
    if (!t.classification()) {
      const double error = t.y[r] - stats[1] / stats[0];
      return error * error;
    }
    const double total = t.total_weight(stats);
    const double own = stats[t.label[r]];
    if (p_.cost.loss == Measure::zero_one) {
      const auto top = std::max_element(stats.begin(), stats.end()) - stats.begin();
      return top == t.label[r] ? 0 : 1;
    }
    if (p_.cost.loss == Measure::log_loss)
      return -std::log((own + 1e-3) / (total + 1e-3));
    double squares = 0;
    for (const double c : stats) squares += (c / total) * (c / total);
    return 1 - 2 * own / total + squares;
  }

  SearchContext& c_;
  const SideSearch& sides_;
  const RefineParams& p_;
  FeatureList features_;
  std::vector<RefNode> nodes_;
};

}  // namespace

Solution refine(SearchContext& context, const SideSearch& sides,
                const RefineParams& params, const NodeView& root,
                const FeatureList& features, const Solution& start) {
  return Refiner(context, sides, params, features).run(root, start);
}

}  // namespace dpdtree
