// The Markov decision process, solved depth-first with backup on return. A state is
// (rows, depth); no graph is kept, only one row buffer per depth.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "plan/plan_tree.hpp"
#include "plan/state_memo.hpp"
#include "search/candidates/generator.hpp"
#include "search/lookahead/lookahead.hpp"
#include "search/value/value_model.hpp"

namespace dpdtree {

class GreedyGrower;

struct SolverParams {
  u32 max_depth = 3;
  std::vector<u32> n_candidates;  // by depth; beyond the list 1
  bool prune = true;
  // Set (with exhaustive_last): two levels above the bottom take the roots of the
  // look-ahead, and with three levels left or more only the candidates that look best
  // are followed.
  const Lookahead* lookahead = nullptr;
  // The last level takes the best split for the loss at any threshold.
  bool exhaustive_last = false;

  u32 candidates_at(u32 depth) const {
    const u32 own = depth < n_candidates.size() ? n_candidates[depth] : 1;
    return exhaustive_last ? std::max(own, least_candidates_at(depth)) : own;
  }
  // Of a search that goes further than the published one. To look at candidates is
  // cheap; without a look-ahead all of them are followed.
  u32 least_candidates_at(u32 depth) const {
    const bool shallow = lookahead != nullptr || max_depth <= 3;
    if (depth == 0) return shallow ? 15 : 8;
    return lookahead == nullptr && shallow ? 8 : 1;
  }
  // Few, and one from the fourth level on: the time then grows with the depth only as
  // that of one tree does.
  static u32 followed_at(u32 depth) {
    static constexpr std::array<u32, 3> kFollowed{4, 2, 2};
    return depth < kFollowed.size() ? kFollowed[depth] : 1;
  }
  // From this depth on every state has one candidate: the greedy tree, pruned.
  bool greedy_from(u32 depth) const {
    if (lookahead != nullptr || exhaustive_last) return false;
    for (std::size_t d = depth; d < n_candidates.size(); ++d)
      if (n_candidates[d] > 1) return false;
    return true;
  }
};

// One worker's memory: the rows and statistics of the children at every depth.
struct Worker {
  SearchContext context;
  struct Level {
    RowBuffer rows;
    std::vector<double> stats;

    void make_room(std::size_t n_rows, std::size_t stats_width);
  };
  std::deque<Level> levels;  // addresses stay while deeper levels are added
  Level leaves;              // below the last split

  Level& level(u32 depth, std::size_t n_rows, std::size_t stats_width);
};

// What is known of a state. Values beyond the budget may be missing from a front.
template <class ValueModel>
struct StateValue {
  typename ValueModel::Front front;
  bool exact = true;     // false: cut short by the clock, still valid plans
  bool pruned = false;   // no plan: all that is known is that it exceeds the budget
  bool complete = true;  // false: something was left out because of the budget alone
};

// `ValueModel` is the kind of value: ScalarValue, AlphaHull or LeafBudgetFront (see
// pricing.hpp).
template <class ValueModel>
class Solver {
 public:
  using Front = typename ValueModel::Front;
  using Memo = StateMemo<StateValue<ValueModel>>;

  Solver(const SolverParams& params, const ValueModel& kind, const Generator& generator,
         Memo* memo, std::vector<std::unique_ptr<Worker>>& workers, ThreadPool& pool);

  // The best plans for the rows from depth 0 on.
  Front solve(const NodeView& root, const FeatureList& features);

  // With a look-ahead: the best plans of every root split that was solved.
  const std::vector<Front>& root_plans() const { return root_plans_; }

 private:
  using Bound = typename ValueModel::Bound;
  using Budget = typename ValueModel::Budget;
  using State = StateValue<ValueModel>;
  struct Action;
  struct SharedBest;

  State solve_state(Worker& w, const NodeView& s, FeatureList features, u32 depth,
                    const Budget& budget, const FoundSplit* greedy);
  State solve_greedy(Worker& w, const NodeView& s, const FeatureList& features,
                     u32 depth, const FoundSplit* greedy);
  // Both children as leaves; in buffers of this level that the next call overwrites.
  Children leaves_of(Worker& w, const NodeView& s, Split& split) const;
  State solve_exhaustive_level(Worker& w, const NodeView& s, FeatureList& features);
  State solve_last_level(Worker& w, const NodeView& s, FeatureList& features, u32 depth,
                         const Budget& budget, const FoundSplit* greedy);
  State solve_actions(Worker& w, const NodeView& s, FeatureList& features, u32 depth,
                      const Budget& budget, const FoundSplit* greedy);
  Front solve_root(const NodeView& s, FeatureList& features);

  std::vector<Split> candidates(Worker& w, const NodeView& s, FeatureList& features,
                                u32 depth, const FoundSplit* greedy);
  std::vector<Action> make_actions(Worker& w, const NodeView& s, FeatureList& features,
                                   u32 depth, const FoundSplit* greedy);
  void select_actions(Worker& w, const NodeView& s, const FeatureList& features,
                      std::size_t n_followed, std::vector<Action>& actions);
  void bound_actions(Worker& w, const NodeView& s, const FeatureList& features,
                     u32 depth, std::vector<Action>& actions);
  Children children_of(Worker& w, const NodeView& s, u32 depth, Action& action);
  bool within_limits(const NodeView& s, const Children& children) const;
  bool repeats_middle(const NodeView& s, const Children& children,
                      const Split& split) const;
  bool allowed(const NodeView& s, const Children& children) const;
  void try_action(Worker& w, const NodeView& s, const FeatureList& features, u32 depth,
                  const Budget& inherited, Action& action, State& best);
  void solve_sides(Worker& w, const NodeView& s, const FeatureList& features,
                   Action& action, SharedBest& shared);
  void solve_side(Worker& w, const NodeView& s, const FeatureList& features,
                  Action& action, int side, const Bound& others_least,
                  const Budget& budget, SharedBest& shared);
  void keep_root_plan(const Action& action, const NodeView& s);
  Bound least(const NodeView& s, u32 levels) const;
  Bound least_of_side(const Action& action, int side, const NodeView& s,
                      u32 levels) const;
  bool exceeds(const Bound& bound, const Budget& budget) const {
    return params_.prune && kind_.exceeds(bound, budget);
  }

  SolverParams params_;
  ValueModel kind_;
  const Generator& generator_;
  Memo* memo_;
  std::vector<std::unique_ptr<Worker>>& workers_;
  ThreadPool& pool_;
  std::vector<Front> root_plans_;
};

// What the prunings of a grown greedy tree are worth.
template <class ValueModel>
typename ValueModel::Front prune_greedy(SearchContext& context,
                                        const GreedyGrower& grower,
                                        const ValueModel& kind);

// The plan of a grown greedy tree as it is.
PlanPtr plan_of_greedy(const GreedyGrower& grower);

}  // namespace dpdtree
