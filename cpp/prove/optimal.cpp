#include "prove/optimal.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/tolerance.hpp"
#include "loss/cost_matrix.hpp"
#include "prove/answer_costs.hpp"
#include "prove/choice_split.hpp"
#include "prove/near_trees.hpp"
#include "prove/pair_search.hpp"

namespace dpdtree {
namespace {

constexpr u32 kFewLevels = 3;

// Would a proof for few levels be cheap, whatever the rows? Two levels need none.
bool proves_surely(const PairSearch& search, u32 levels) {
  return levels < kFewLevels ||
         (levels == kFewLevels && search.n_questions() <= search.cheap_evaluations());
}

class Optimal {
 public:
  // `proves`: the whole tree is searched, not its bottoms alone.
  Optimal(SearchContext& context, const OptimalParams& params, const NodeView& root,
          FeatureList features, bool proves)
      : c_(context),
        p_(params),
        features_(std::move(features)),
        data_(make_exact_data(context.problem.columns, context.problem.targets,
                              root.rows, *features_)),
        all_rows_(root.rows.begin(), root.rows.end()) {
    params_ = exact_params(context, params);
    if (proves && params.max_depth > kFewLevels) {
      twins_.emplace(data_, params_.cost.loss);
      params_.twins = &*twins_;
    }
    if (!data_.orderings.empty())
      search_ = make_exact_search(
          data_, params_, proves ? params.max_depth : std::min(params.max_depth, 2u),
          params.max_leaves, context.stop, proves ? params.pool : nullptr);
  }

  // Null if the search is another one.
  PairSearch* questions() { return dynamic_cast<PairSearch*>(search_.get()); }

  OptimalResult run(const NodeView& root, const Solution& start, const Report& report) {
    OptimalResult out;
    out.solution = start;
    if (search_ == nullptr) {  // nothing can be split: the leaf is all there is
      out.proven = true;
      out.lower_bound = start.value.objective;
      return out;
    }
    const auto outcome = deepen(root, out, report);
    // Each node of the plan may have taken a tie for one. On a grid (see Targets) its
    // terms are rounded, and those of the proof are not.
    const Value& value = out.solution.value;
    double ties = 2 * static_cast<double>(value.leaves) * p_.order.tolerance;
    if (c_.problem.targets.order_free)
      ties += kPruningMargin * p_.cost.leaf_loss(root) +
              root.n() * c_.problem.targets.square_grid.unit();
    out.proven = outcome.complete && value.objective <= outcome.value + ties;
    out.lower_bound = outcome.lower_bound;
    out.evaluations = search_->evaluations();
    return out;
  }

  // A tree close to the best, of the levels of the search. Deeper is never worse: where
  // it is near, it is compared with the best tree of few levels, which a fit with these
  // finds.
  Solution approach(const NodeView& root, const Solution& start, PairSearch& search) {
    const std::vector<u32> rows = positions(root);
    Solution out = start;
    try {
      NearTrees near(params_, NearTrees::Prices::one, c_.stop, search.tables());
      const NearTrees::Front found = near.find(rows, p_.max_depth);
      keep(root, p_.max_depth, found.front(), out);
      const double value = near.value_of(found);
      if (p_.max_depth <= kFewLevels || !proves_surely(search, kFewLevels)) return out;
      if (root.n() > kFewRows &&
          value <= kMuch * near.value_of(near.find(rows, kFewLevels)))
        return out;
      ExactChoice choice;
      const double objective = out.value.objective;
      const auto proof = prove(root, rows, kFewLevels, p_.max_leaves, objective, choice,
                               [](Progress) {});
      if (proof.value < objective - p_.order.tolerance)
        rebuild(root, kFewLevels, choice, out);
    } catch (const SearchStopped&) {
    }
    return out;
  }

  // The same for every price of a split.
  std::vector<Solution> approach_all(const NodeView& root, PairSearch& search) {
    const std::vector<u32> rows = positions(root);
    std::vector<Solution> out;
    const auto keep_all = [&](const NearTrees::Front& front) {
      for (const NearTree& tree : front) {
        out.push_back(leaf_of(root));
        keep(root, p_.max_depth, tree, out.back());
      }
    };
    try {
      NearTrees near(params_, NearTrees::Prices::all, c_.stop, search.tables());
      if (p_.max_depth != kFewLevels) keep_all(near.find(rows, p_.max_depth));
      if (p_.max_depth >= kFewLevels && proves_surely(search, kFewLevels))
        keep_all(near.find_three_levels(rows));
    } catch (const SearchStopped&) {
    }
    std::stable_sort(out.begin(), out.end(), [&](const Solution& a, const Solution& b) {
      return p_.order.compare(b.value, a.value) < 0;
    });
    return out;
  }

  Solution polish(const NodeView& root, const Solution& start) {
    if (search_ == nullptr) return start;
    last_levels_ = search_->cheap_levels();
    if (PairSearch* questions = this->questions())
      questions->limit_evaluations(questions->cheap_evaluations());
    else
      last_levels_ = std::max(last_levels_, p_.last_levels);
    Solution found = start;
    c_.stop.stage.begin("polishing the last levels", root.n());
    try {
      found = polished(root, start.plan, p_.max_depth);
    } catch (const SearchStopped&) {
      return start;
    }
    return better(start, found);
  }

 private:
  // What every tree costs: the search counts what answers cost beyond that.
  double unavoidable(const NodeView& node) const {
    if (p_.cost.loss != Criterion::cost_matrix) return 0;
    return CostMatrix::least_impurity(node.stats, c_.problem.targets.costs);
  }

  ExactSearch::Outcome prove(const NodeView& node, std::span<const u32> rows,
                             u32 levels, u64 leaves, double incumbent,
                             ExactChoice& choice, const Report& report) {
    const double always = unavoidable(node);
    auto out = search_->prove(
        rows, levels, leaves, incumbent - always, choice, [&](Progress p) {
          report({std::min(p.objective + always, incumbent), p.lower_bound + always});
        });
    out.value = std::min(out.value + always, incumbent);
    out.lower_bound = std::min(out.lower_bound + always, out.value);
    out.any_depth += always;
    return out;
  }

  static constexpr u32 kFewRows = 300;
  static constexpr double kMuch = 0.8;  // no search misses more of the objective

  // Proofs for more and more levels, each from the best tree of those before it, until
  // a level more cannot help.
  ExactSearch::Outcome deepen(const NodeView& root, OptimalResult& out,
                              const Report& report) {
    const std::vector<u32> rows = positions(root);
    const double least = unavoidable(root) + (twins_ ? twins_->least_loss(rows) : 0.0);
    double lower = 0;  // of trees of any depth
    u32 levels = p_.first_depth;
    for (;;) {
      const u32 most = levels_of(root, out.solution.value.objective - least);
      levels = std::min(levels, most);
      const double deeper = levels < most ? least + params_.price_of_levels(levels + 1)
                                          : std::numeric_limits<double>::infinity();
      const auto progress = [&](Progress p) {
        report({p.objective, std::max(lower, std::min(p.lower_bound, deeper))});
      };
      ExactChoice choice;
      const double objective = out.solution.value.objective;
      auto outcome =
          prove(root, rows, levels, p_.max_leaves, objective, choice, progress);
      if (outcome.value < objective - p_.order.tolerance)
        rebuild(root, levels, choice, out.solution);
      lower = std::max(lower, outcome.any_depth);
      const double value = out.solution.value.objective;
      const bool last = levels >= levels_of(root, value - least);
      outcome.complete |= lower >= value - p_.order.tolerance;
      if (last || lower >= value - p_.order.tolerance) {
        outcome.lower_bound = std::max(outcome.lower_bound, std::min(lower, value));
        return outcome;
      }
      outcome.lower_bound = std::min(lower, value);
      if (!outcome.complete) return outcome;
      levels = search_->levels_after(levels, most);
    }
  }

  // Every level below the first takes one leaf at least from those that the limits
  // leave room for, and pays for it: better trees lose less than `value`.
  u32 levels_of(const NodeView& root, double value) const {
    const SplitLimits& limits = c_.limits;
    const u64 rows = root.n() / std::max(1u, limits.min_samples_leaf);
    u64 leaves = std::min(rows, p_.max_leaves);
    if (twins_) leaves = std::min<u64>(leaves, twins_->n_distinct());
    u64 most = std::max<u64>(leaves, kFewLevels + 1) - 1;
    if (twins_)
      most = std::min(most, std::max<u64>(params_.levels_below(value), kFewLevels));
    return static_cast<u32>(std::min<u64>(p_.max_depth, most));
  }

  // The plan, its subtrees of few levels solved exactly.
  Solution polished(const NodeView& node, const Plan& plan, u32 levels) {
    if (levels <= last_levels_ || plan == nullptr) {
      c_.stop.stage.add(node.n());
      return plan == nullptr && levels > last_levels_
                 ? leaf_of(node)
                 : polished_bottom(node, plan, levels);
    }
    return split_solution(
        node, plan->split,
        [&](const NodeView& left) { return polished(left, plan->left, levels - 1); },
        [&](const NodeView& right) {
          return polished(right, plan->right, levels - 1);
        });
  }

  // What the subtree is worth now is what a search has to beat.
  Solution polished_bottom(const NodeView& node, const Plan& plan, u32 levels) {
    const Solution now = as_planned(node, plan);
    ExactChoice choice;
    const auto outcome = prove(node, positions(node), levels, Cost::max_leaves(levels),
                               now.value.objective, choice, [](Progress) {});
    if (c_.stop.stopped()) return now;
    if (outcome.value >= now.value.objective - p_.order.tolerance) return now;
    return better(now, plan_of(node, levels, &choice, true));  // it may be stopped
  }

  // The plan as it is, and its value here.
  Solution as_planned(const NodeView& node, const Plan& plan) {
    if (plan == nullptr) return leaf_of(node);
    return split_solution(
        node, plan->split,
        [&](const NodeView& left) { return as_planned(left, plan->left); },
        [&](const NodeView& right) { return as_planned(right, plan->right); });
  }

  Solution leaf_of(const NodeView& node) const { return {p_.cost.leaf(node), nullptr}; }

  template <class Left, class Right>
  Solution split_solution(const NodeView& node, Split split, Left&& left,
                          Right&& right) {
    ChildBuffers buffers;
    const Children children = c_.data.divide(c_, node, split, buffers.make_room(node));
    const Solution l = left(children.left), r = right(children.right);
    return {combine(p_.cost.penalty(node.weight), l.value, r.value),
            join(split, l.plan, r.plan)};
  }

  ExactParams exact_params(const SearchContext& context, const OptimalParams& params) {
    ExactParams e;
    e.cost = params.cost;
    e.limits = {context.limits.min_samples_leaf, context.limits.min_weight_leaf,
                context.limits.min_samples_split};
    if (params.cost.complexity == Complexity::path_length)
      e.row_cost_per_level = params.cost.penalty_rate();
    e.tolerance = params.order.tolerance;
    e.use_pair_search = params.use_pair_search;
    if (e.cost.loss != Criterion::cost_matrix) return e;
    // Weights that are limited or priced stay what they are.
    const bool by_row = e.row_cost_per_level == 0 && e.limits.min_weight_leaf <= 0;
    const AnswerCosts costs =
        count_excess_costs(context.problem.targets, by_row, data_);
    e.cost.loss = costs.loss;
    e.largest_cost = costs.largest;
    return e;
  }

  void keep(const NodeView& root, u32 levels, const NearTree& tree, Solution& best) {
    if (tree.choice != nullptr) rebuild(root, levels, *tree.choice, best);
  }

  // The plan behind the best value. The clock does not count here: what is left is a
  // scan per pair of leaves.
  void rebuild(const NodeView& root, u32 levels, const ExactChoice& choice,
               Solution& best) {
    StopToken never(-1, {});
    const StopPoller poller = std::exchange(c_.poller, StopPoller(never));
    Solution found = plan_of(root, levels, &choice, p_.max_leaves > 1);
    c_.poller = poller;
    if (p_.order.compare(found.value, best.value) < 0) best = std::move(found);
  }

  Solution plan_of(const NodeView& node, u32 levels, const ExactChoice* choice,
                   bool may_split) {
    const Solution leaf = leaf_of(node);
    if (levels == 0 || !may_split) return leaf;
    if (levels == 1 || choice == nullptr || choice->scan) {  // a scan tells the rest
      FeatureList features = features_;
      const FoundSplit found = c_.find(node, features, false, SearchTarget::loss);
      if (!found.found) return leaf;
      const auto end = [&](const NodeView& child) { return leaf_of(child); };
      return better(leaf, split_solution(node, found.split, end, end));
    }
    if (!choice->split) return leaf;
    const ChoiceSplit at = split_of(data_, c_.problem.columns, node, *choice);
    const auto left = [&](const NodeView& child) {
      return plan_of(child, levels - 1, choice->left.get(), choice->left_leaves > 1);
    };
    const auto right = [&](const NodeView& child) {
      return plan_of(child, levels - 1, choice->right.get(), choice->right_leaves > 1);
    };
    // A choice made for other rows may leave a side of these empty.
    if (!at.left || !at.right) return at.left ? left(node) : right(node);
    return better(leaf, at.mirrored ? split_solution(node, at.split, right, left)
                                    : split_solution(node, at.split, left, right));
  }

  Solution better(const Solution& a, const Solution& b) const {
    return p_.order.compare(b.value, a.value) < 0 ? b : a;
  }

  // Of the node's rows among all rows.
  std::vector<u32> positions(const NodeView& node) const {
    std::vector<u32> out;
    u32 i = 0;
    for (const Row r : node.rows) {
      while (all_rows_[i] != r) ++i;
      out.push_back(i);
    }
    return out;
  }

  SearchContext& c_;
  const OptimalParams& p_;
  FeatureList features_;
  ExactData data_;
  std::vector<Row> all_rows_;
  std::optional<RowTwins> twins_;
  ExactParams params_;
  std::unique_ptr<ExactSearch> search_;  // null: nothing can be split
  u32 last_levels_ = 0;                  // of those that are polished
};

}  // namespace

OptimalResult solve_optimal(SearchContext& context, const OptimalParams& params,
                            const NodeView& root, const FeatureList& features,
                            const Solution& start, const Report& report) {
  return Optimal(context, params, root, features, true).run(root, start, report);
}

std::optional<OptimalResult> solve_cheaply(SearchContext& context,
                                           const OptimalParams& params,
                                           const NodeView& root,
                                           const FeatureList& features,
                                           const Solution& start, bool surely) {
  if (!few_cuts(context.problem.columns, *features)) return std::nullopt;
  Optimal optimal(context, params, root, features, true);
  PairSearch* questions = optimal.questions();
  if (questions == nullptr) return std::nullopt;
  if (surely && !proves_surely(*questions, params.max_depth)) return std::nullopt;
  questions->limit_evaluations(questions->cheap_evaluations());
  const OptimalResult found = optimal.run(root, start, [](Progress) {});
  if (found.proven || context.stop.stopped()) return found;
  return std::nullopt;
}

std::optional<Solution> solve_nearly(SearchContext& context,
                                     const OptimalParams& params, const NodeView& root,
                                     const FeatureList& features,
                                     const Solution& start) {
  if (!few_cuts(context.problem.columns, *features)) return std::nullopt;
  Optimal optimal(context, params, root, features, false);
  PairSearch* questions = optimal.questions();
  if (questions == nullptr) return std::nullopt;
  return optimal.approach(root, start, *questions);
}

std::vector<Solution> solve_nearly_for_all_prices(SearchContext& context,
                                                  const OptimalParams& params,
                                                  const NodeView& root,
                                                  const FeatureList& features) {
  if (!few_cuts(context.problem.columns, *features)) return {};
  Optimal optimal(context, params, root, features, false);
  PairSearch* questions = optimal.questions();
  if (questions == nullptr) return {};
  if (params.max_depth <= kFewLevels && !proves_surely(*questions, params.max_depth))
    return {};
  return optimal.approach_all(root, *questions);
}

Solution polish_bottoms(SearchContext& context, const OptimalParams& params,
                        const NodeView& root, const FeatureList& features,
                        const Solution& start) {
  return Optimal(context, params, root, features, false).polish(root, start);
}

}  // namespace dpdtree
