#include "search/refine.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <span>
#include <utility>

#include "loss/leaf.hpp"

namespace dpdtree {
namespace {

struct RefNode {
  Split split;
  int left = -1;  // -1: leaf; the right child is right
  int right = -1;
  // As of the last evaluation: statistics, the price of the split, the value, and what
  // a leaf predicts if that is a number.
  std::vector<double> stats;
  std::vector<double> predictions;
  double price = 0;
  Value value;
  bool settled = false;  // the last visit changed nothing from here down

  bool leaf() const { return left < 0; }
};

using Rows = std::span<const Row>;

// Buffers for the rows of children, one per split on the way down.
class RowStack {
 public:
  // The rows of both sides of a split, until this goes out of scope.
  class Halves {
   public:
    Halves(RowStack& stack, const Column& column, const Split& split, Rows rows,
           RowBuffer& spare)
        : stack_(stack) {
      if (stack_.used_ == stack_.buffers_.size()) stack_.buffers_.emplace_back();
      RowBuffer& buffer = stack_.buffers_[stack_.used_++];
      if (buffer.size() < rows.size()) buffer.resize(rows.size());
      const u32 n_left =
          partition_rows(column, split.left_codes(column), rows, buffer.data(), spare);
      left = {buffer.data(), n_left};
      right = {buffer.data() + n_left, rows.size() - n_left};
    }
    ~Halves() { --stack_.used_; }
    Halves(const Halves&) = delete;
    Halves& operator=(const Halves&) = delete;

    Rows left, right;

   private:
    RowStack& stack_;
  };

 private:
  std::deque<RowBuffer> buffers_;
  std::size_t used_ = 0;
};

// Wherever a node is visited, what is kept of it and of those below holds for the rows
// of the visit: they are evaluated anew when a split above them moves, and put back as
// they were if that does not pay.
class Refiner {
 public:
  Refiner(SearchContext& context, const SideSearch& sides, const RefineParams& params,
          FeatureList features)
      : c_(context), sides_(sides), p_(params), features_(std::move(features)) {}

  Solution run(const NodeView& root, const Solution& start) {
    Solution best = start;
    add_plan(start.plan);
    const Rows rows = root.rows;
    Value value = evaluate(0, rows);
    if (!std::isfinite(value.objective)) return best;
    for (u32 sweep = 0; sweep < p_.max_sweeps && !c_.poller.stopped(); ++sweep) {
      const Value before = value;
      value = improve(0, rows, root.path, p_.max_depth, false);
      if (p_.order.compare(value, before) >= 0) break;
    }
    if (p_.order.compare(value, best.value) < 0) {
      best.value = value;
      best.plan = plan_of(0);
    }
    return best;
  }

 private:
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

  RowStack::Halves halves(const Split& split, Rows rows) {
    return {stack_, c_.problem.columns[split.feature], split, rows, c_.spare_rows};
  }

  static Value impossible() { return {std::numeric_limits<double>::infinity(), 1, 0}; }

  // The value of the subtree on these rows; its nodes keep what is new.
  Value evaluate(int i, Rows rows) {
    std::vector<double> stats(c_.problem.targets.stats_width());
    c_.problem.targets.accumulate(rows, stats.data());
    return evaluate(i, rows, stats);
  }

  Value evaluate(int i, Rows rows, const std::vector<double>& stats) {
    const Value value = evaluated(i, rows, stats);
    node(i).value = value;
    return value;
  }

  Value evaluated(int i, Rows rows, const std::vector<double>& stats) {
    const Targets& t = c_.problem.targets;
    const double weight = t.total_weight(stats);
    if (rows.size() < c_.limits.min_samples_leaf || rows.empty() ||
        weight < c_.limits.min_weight_leaf)
      return impossible();
    if (node(i).leaf()) {
      keep_leaf(i, rows, stats);
      return leaf_value(rows, stats);
    }
    if (rows.size() < c_.limits.min_samples_split) return impossible();
    node(i).stats = stats;
    const RowStack::Halves h = halves(node(i).split, rows);
    // Sums of integers: the larger side is what the smaller one leaves.
    const bool left_first = h.left.size() <= h.right.size();
    std::vector<double> first(stats.size()), second(stats.size());
    t.accumulate(left_first ? h.left : h.right, first.data());
    if (t.exact_sums())
      for (std::size_t k = 0; k < stats.size(); ++k) second[k] = stats[k] - first[k];
    else
      t.accumulate(left_first ? h.right : h.left, second.data());
    const Value left = evaluate(node(i).left, h.left, left_first ? first : second);
    const Value right = evaluate(node(i).right, h.right, left_first ? second : first);
    node(i).price = price(rows, weight, node(i).split);
    return combine(node(i).price, left, right);
  }

  double price(Rows rows, double weight, const Split& split) {
    if (!p_.cost.is_mdl()) return p_.cost.penalty(weight);
    const Column& column = c_.problem.columns[split.feature];
    return p_.cost.price(weight,
                         log_choices(column, rows, split, c_.scratch.seen_codes));
  }

  Value leaf_value(Rows rows, const std::vector<double>& stats) const {
    return p_.cost.leaf({rows, stats, c_.problem.targets.total_weight(stats), {}});
  }

  // `moved`: other rows than at the last visit. What has settled is not tried again.
  Value improve(int i, Rows rows, const NodePath* path, u32 levels, bool moved) {
    if (c_.poller.stopped() || (!moved && node(i).settled)) return node(i).value;
    const bool bottom =
        node(i).leaf() || (node(node(i).left).leaf() && node(node(i).right).leaf());
    bool changed = false;
    const Value value = bottom ? improve_bottom(i, rows, path, levels, changed)
                               : improve_tree(i, rows, path, levels, moved, changed);
    node(i).settled = !changed;
    node(i).value = value;
    return value;
  }

  Value improve_tree(int i, Rows rows, const NodePath* path, u32 levels, bool moved,
                     bool& changed) {
    const std::vector<double> stats = node(i).stats;
    changed = improve_inner(i, rows, stats);
    moved |= changed;
    const RowStack::Halves h = halves(node(i).split, rows);
    const NodePath to_left{path, node(i).split, false};
    const NodePath to_right{path, node(i).split, true};
    const Value left = improve(node(i).left, h.left, &to_left, levels - 1, moved);
    const Value right = improve(node(i).right, h.right, &to_right, levels - 1, moved);
    changed |= !node(node(i).left).settled || !node(node(i).right).settled;
    const Value split = combine(node(i).price, left, right);
    const Value leaf = leaf_value(rows, stats);
    if (p_.order.compare(leaf, split) > 0) return split;
    make_leaf(i, rows, stats);
    changed = true;
    return leaf;
  }

  void make_leaf(int i, Rows rows, const std::vector<double>& stats) {
    node(i).left = node(i).right = -1;
    keep_leaf(i, rows, stats);
  }

  void keep_leaf(int i, Rows rows, const std::vector<double>& stats) {
    const Targets& t = c_.problem.targets;
    node(i).stats = stats;
    if (!t.classification())
      node(i).predictions = leaf_predictions(p_.cost.loss, t, rows, stats);
  }

  // A leaf or a split into two leaves: the best split for the loss, at any threshold.
  Value improve_bottom(int i, Rows rows, const NodePath* path, u32 levels,
                       bool& changed) {
    std::vector<double> stats(c_.problem.targets.stats_width());
    NodeView view = make_node(c_.problem, rows, stats.data());
    view.path = path;
    // Sums that round depend on how they are added up.
    const bool exact = c_.problem.targets.exact_sums();
    const Value now = exact ? node(i).value : evaluate(i, rows, stats);
    const Value leaf = leaf_value(rows, stats);
    const bool may_split = levels > 0 && (p_.may_grow || !node(i).leaf());
    if (may_split && view.n() >= c_.limits.min_samples_split) {
      FeatureList features = features_;
      const FoundSplit found = c_.find(view, features, false, SearchTarget::loss);
      Split split = found.split;
      if (found.found) settle(split, view);
      if (found.found && (node(i).leaf() || !split.same_rows(node(i).split))) {
        const std::vector<RefNode> old = nodes_;
        set_split(i, split);
        const Value value = evaluate(i, rows, stats);
        if (p_.order.compare(value, now) < 0 && p_.order.compare(value, leaf) < 0) {
          changed = true;
          return value;
        }
        nodes_ = old;
      }
    }
    if (p_.order.compare(leaf, now) > 0) return now;
    changed = !node(i).leaf();
    make_leaf(i, rows, stats);
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

  // Gives missing values a side: split_stats decides it, as everywhere; where none are
  // missing and rows weigh the same, their number does.
  void settle(Split& split, const NodeView& view) {
    if (split.missing != Missing::heavier) return;
    const Targets& t = c_.problem.targets;
    const Column& column = c_.problem.columns[split.feature];
    if (!t.exact_sums() || t.general || column.n_missing > 0) {
      std::vector<double> stats(2 * t.stats_width());
      split_stats(c_.problem, view, split, stats.data(),
                  stats.data() + t.stats_width());
      return;
    }
    std::size_t n_left = 0;
    visit_codes(column.code, [&](const auto* code) {
      visit_side(split.left_codes(column), [&](auto is_left) {
        for (const Row r : view.rows) n_left += is_left(code[r]) ? 1 : 0;
      });
    });
    split.missing = 2 * n_left > view.n() ? Missing::left : Missing::right;
  }

  // The best split of an inner node with both subtrees as they are; true if it moved.
  bool improve_inner(int i, Rows rows, const std::vector<double>& stats) {
    const Value before = node(i).value;
    assign_costs(node(i).left, rows, [](double& y, double cost) { y = cost; }, 0);
    assign_costs(node(i).right, rows, [](double& y, double cost) { y -= cost; }, 0);
    if (c_.problem.targets.order_free) round_costs(rows);
    const FoundSplit found = best_for_sides(rows);
    if (!found.found) return false;
    Split split = found.split;
    settle(split, {rows, stats, c_.problem.targets.total_weight(stats), {}});
    if (split.same_rows(node(i).split)) return false;
    const std::vector<RefNode> old = nodes_;
    node(i).split = std::move(split);
    if (p_.order.compare(evaluate(i, rows, stats), before) < 0) return true;
    nodes_ = old;
    return false;
  }

  // Rows that cost the same on both sides do not matter, unless sizes are limited or
  // thresholds counted.
  FoundSplit best_for_sides(Rows rows) {
    const Targets& t = sides_.targets;
    if (c_.limits.min_samples_leaf <= 1 && !p_.cost.is_mdl()) {
      if (mattering_.size() < rows.size()) mattering_.resize(rows.size());
      std::size_t n = 0;
      for (const Row r : rows) {  // without a branch
        mattering_[n] = r;
        n += t.y[r] != 0 ? 1 : 0;
      }
      rows = {mattering_.data(), n};
    }
    if (rows.size() < 2) return {};
    std::vector<double> stats(3);
    t.accumulate(rows, stats.data());
    const NodeView view{rows, stats, static_cast<double>(rows.size()), {}};
    FeatureList features = features_;
    return sides_.finder.find(view, features, {}, c_.scratch, c_.poller);
  }

  // Hands on what each row would cost in subtree i, as its leaves are now.
  template <class Add>
  void assign_costs(int i, Rows rows, const Add& add, u32 passed) {
    if (rows.empty()) return;
    if (!node(i).leaf()) {
      const RowStack::Halves h = halves(node(i).split, rows);
      const int left = node(i).left, right = node(i).right;
      assign_costs(left, h.left, add, passed + 1);
      assign_costs(right, h.right, add, passed + 1);
      return;
    }
    const double path = p_.cost.complexity == Complexity::path_length
                            ? p_.cost.penalty_rate() * passed
                            : 0;
    const Targets& t = c_.problem.targets;
    const RowCosts costs(p_.cost.loss, t, node(i).stats, node(i).predictions);
    const double* by_label = costs.by_label();
    double* y = sides_.targets.y.data();
    if (by_label == nullptr || t.weighted())
      for (const Row r : rows) add(y[r], t.weight_of(r) * (path + costs(r)));
    else
      for (const Row r : rows) add(y[r], path + by_label[t.label[r]]);
  }

  // So that sums of them depend on no order.
  void round_costs(Rows rows) {
    double* y = sides_.targets.y.data();
    double largest = 0;
    for (const Row r : rows) largest = std::max(largest, std::fabs(y[r]));
    const Grid grid(largest, rows.size());
    for (const Row r : rows) y[r] = grid(y[r]);
  }

  SearchContext& c_;
  const SideSearch& sides_;
  const RefineParams& p_;
  FeatureList features_;
  std::vector<RefNode> nodes_;
  RowStack stack_;
  std::vector<Row> mattering_;
};

}  // namespace

Solution refine(SearchContext& context, const SideSearch& sides,
                const RefineParams& params, const NodeView& root,
                const FeatureList& features, const Solution& start) {
  return Refiner(context, sides, params, features).run(root, start);
}

}  // namespace dpdtree
