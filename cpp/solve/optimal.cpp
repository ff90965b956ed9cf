#include "solve/optimal.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace dpdtree {
namespace {

class Optimal {
 public:
  Optimal(SearchContext& context, const OptimalParams& params, const NodeView& root,
          FeatureList features)
      : c_(context),
        p_(params),
        features_(std::move(features)),
        data_(make_exact_data(context.problem.columns, context.problem.targets,
                              root.rows)),
        all_rows_(root.rows.begin(), root.rows.end()),
        search_(data_, exact_params(context, params), context.stop) {
    std::erase_if(data_.orderings, [&](const Ordering& o) {
      return !std::binary_search(features_->begin(), features_->end(), o.feature);
    });
  }

  OptimalResult run(const NodeView& root, const Solution& start,
                    const std::function<void(Progress)>& report) {
    OptimalResult out;
    out.solution = start;
    if (data_.orderings.empty()) {  // nothing can be split: the leaf is all there is
      out.proven = true;
      out.lower_bound = start.value.objective;
      return out;
    }
    const RankedRows rows = rank_rows(c_.problem.columns, data_, all_rows_);
    ExactChoice choice;
    const auto outcome = search_.prove(rows, p_.max_depth, p_.max_leaves,
                                       start.value.objective, choice, report);
    if (outcome.value < start.value.objective - p_.order.tolerance)
      rebuild(root, rows, choice, out.solution);
    out.proven = outcome.complete &&
                 out.solution.value.objective <= outcome.value + p_.order.tolerance;
    out.lower_bound = outcome.lower_bound;
    out.evaluations = search_.evaluations();
    return out;
  }

  Solution polish(const NodeView& root, const Solution& start) {
    if (data_.orderings.empty()) return start;
    const RankedRows rows = rank_rows(c_.problem.columns, data_, all_rows_);
    Solution found = start;
    try {
      found = polished(root, rows, start.plan, 0, p_.max_depth);
    } catch (const SearchStopped&) {
      return start;
    }
    return p_.order.compare(found.value, start.value) < 0 ? found : start;
  }

 private:
  // The plan from node `at` of `plan` on, its two-level subtrees solved exactly.
  Solution polished(const NodeView& node, const RankedRows& rows, const Plan& plan,
                    std::size_t at, u32 levels) {
    Solution out;
    out.value = p_.cost.leaf(node.stats);
    if (levels <= 2) return polished_bottom(node, rows, plan, at, levels);
    if (plan[at].right == 0) return out;
    Split split = plan[at].split;
    std::vector<Row> buffer(node.rows.size());
    std::vector<double> stats(2 * node.stats.size());
    const Children children =
        split_node(c_.problem, node, split, buffer.data(), c_.spare_rows, stats.data(),
                   stats.data() + node.stats.size());
    RankedRows left, right;
    divide(rows, children, left, right);
    const Solution l = polished(children.left, left, plan, at + 1, levels - 1);
    const Solution r =
        polished(children.right, right, plan, at + plan[at].right, levels - 1);
    out.value = combine(p_.cost.penalty(node.weight), l.value, r.value);
    out.plan = join(split, l.plan, r.plan);
    return out;
  }

  // What the subtree is worth now is what a search has to beat.
  Solution polished_bottom(const NodeView& node, const RankedRows& rows,
                           const Plan& plan, std::size_t at, u32 levels) {
    const Solution now = as_planned(node, plan, at);
    ExactChoice choice;
    const auto outcome =
        search_.prove(rows, levels, ThresholdSearch::most_leaves(levels),
                      now.value.objective, choice, [](Progress) {});
    if (!outcome.complete) throw SearchStopped{};
    if (outcome.value >= now.value.objective - p_.order.tolerance) return now;
    return plan_of(node, rows, levels, &choice, true);
  }

  // The plan from node `at` of `plan` on, unchanged, and its value here.
  Solution as_planned(const NodeView& node, const Plan& plan, std::size_t at) {
    Solution out;
    out.value = p_.cost.leaf(node.stats);
    if (plan[at].right == 0) return out;
    Split split = plan[at].split;
    std::vector<Row> buffer(node.rows.size());
    std::vector<double> stats(2 * node.stats.size());
    const Children children =
        split_node(c_.problem, node, split, buffer.data(), c_.spare_rows, stats.data(),
                   stats.data() + node.stats.size());
    const Solution l = as_planned(children.left, plan, at + 1);
    const Solution r = as_planned(children.right, plan, at + plan[at].right);
    out.value = combine(p_.cost.penalty(node.weight), l.value, r.value);
    out.plan = join(split, l.plan, r.plan);
    return out;
  }

  static ExactParams exact_params(const SearchContext& context,
                                  const OptimalParams& params) {
    ExactParams e;
    e.cost = params.cost;
    e.limits = {context.limits.min_samples_leaf, context.limits.min_weight_leaf,
                context.limits.min_samples_split};
    if (params.cost.complexity == Complexity::path_length)
      e.row_cost_per_level = params.cost.penalty_rate();
    e.tolerance = params.order.tolerance;
    return e;
  }

  // The plan behind the best value. The clock does not count here: what is left is a
  // scan per pair of leaves.
  void rebuild(const NodeView& root, const RankedRows& rows, const ExactChoice& choice,
               Solution& best) {
    StopToken never(-1, {});
    const StopPoller poller = std::exchange(c_.poller, StopPoller(never));
    Solution found = plan_of(root, rows, p_.max_depth, &choice, p_.max_leaves > 1);
    c_.poller = poller;
    if (p_.order.compare(found.value, best.value) < 0) best = std::move(found);
  }

  Split split_of(const RankedRows& rows, const ExactChoice& choice) const {
    const Ordering& ordering = data_.orderings[choice.ordering];
    const Column& column = c_.problem.columns[ordering.feature];
    const auto& order = rows.order[choice.ordering];
    const auto code_at = [&](u32 place) {
      const Row r = all_rows_[order[place] & kRowMask];
      return visit_codes(column.code, [&](const auto* code) { return u32{code[r]}; });
    };
    const u32 before = code_at(choice.left_rows - 1), after = code_at(choice.left_rows);
    Split split;
    split.feature = ordering.feature;
    // Missing alone on the left is the mirror image of missing alone on the right.
    const bool mirrored = before == column.missing_code();
    split.threshold = column.threshold_between(mirrored ? column.n_values - 1 : before,
                                               mirrored ? column.n_values : after);
    split.cut = column.cut_of(split.threshold);
    if (has_missing(rows, column))
      split.missing =
          ordering.missing_first && !mirrored ? Missing::left : Missing::right;
    return split;
  }

  bool has_missing(const RankedRows& rows, const Column& column) const {
    if (column.n_missing == 0) return false;
    return visit_codes(column.code, [&](const auto* code) {
      for (const u32 entry : rows.order[0])
        if (code[all_rows_[entry & kRowMask]] == column.missing_code()) return true;
      return false;
    });
  }

  Solution plan_of(const NodeView& node, const RankedRows& rows, u32 levels,
                   const ExactChoice* choice, bool may_split) {
    Solution best;
    best.value = p_.cost.leaf(node.stats);
    if (levels == 0 || !may_split) return best;
    Split split;
    if (levels == 1) {
      FeatureList features = features_;
      const FoundSplit found = c_.find(node, features, false, Aim::loss);
      if (!found.found) return best;
      split = found.split;
    } else {
      if (choice == nullptr || !choice->split) return best;
      split = split_of(rows, *choice);
    }
    std::vector<Row> buffer(node.rows.size());
    std::vector<double> stats(2 * node.stats.size());
    const Children children =
        split_node(c_.problem, node, split, buffer.data(), c_.spare_rows, stats.data(),
                   stats.data() + node.stats.size());
    RankedRows left, right;
    if (levels > 1) divide(rows, children, left, right);
    const bool last = levels == 1;
    const Solution l =
        plan_of(children.left, left, levels - 1, last ? nullptr : choice->left.get(),
                last || choice->left_leaves > 1);
    const Solution r =
        plan_of(children.right, right, levels - 1, last ? nullptr : choice->right.get(),
                last || choice->right_leaves > 1);
    const Value value = combine(p_.cost.penalty(node.weight), l.value, r.value);
    if (p_.order.compare(value, best.value) >= 0) return best;
    best.value = value;
    best.plan = join(split, l.plan, r.plan);
    return best;
  }

  void divide(const RankedRows& rows, const Children& children, RankedRows& left,
              RankedRows& right) const {
    std::vector<u8> side(all_rows_.size(), 2);
    std::size_t i = 0;
    for (const Row r : children.left.rows) {
      while (all_rows_[i] != r) ++i;
      side[i] = 0;
    }
    i = 0;
    for (const Row r : children.right.rows) {
      while (all_rows_[i] != r) ++i;
      side[i] = 1;
    }
    filter_rows(data_, rows, side, 0, left);
    filter_rows(data_, rows, side, 1, right);
  }

  SearchContext& c_;
  const OptimalParams& p_;
  FeatureList features_;
  ExactData data_;
  std::vector<Row> all_rows_;
  ThresholdSearch search_;
};

}  // namespace

OptimalResult solve_optimal(SearchContext& context, const OptimalParams& params,
                            const NodeView& root, const FeatureList& features,
                            const Solution& start,
                            const std::function<void(Progress)>& report) {
  return Optimal(context, params, root, features).run(root, start, report);
}

Solution polish_two_levels(SearchContext& context, const OptimalParams& params,
                           const NodeView& root, const FeatureList& features,
                           const Solution& start) {
  return Optimal(context, params, root, features).polish(root, start);
}

}  // namespace dpdtree
