// The Markov decision process, solved depth-first with backup on return. A state is
// (rows, depth); no graph is kept, only one row buffer per depth.
#pragma once

#include <atomic>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "generator/generator.hpp"
#include "generator/lookahead.hpp"
#include "solve/cost.hpp"
#include "solve/state_memo.hpp"

namespace dpdtree {

class GreedyGrower;

struct SolverParams {
  Cost cost;
  u32 max_depth = 3;
  std::vector<u32> n_candidates;  // by depth; beyond the list 1
  bool prune = true;
  // Set: the last level takes the best split for the loss at any threshold, the level
  // above it the roots of the look-ahead, and with three levels left only the
  // `n_looked_at` candidates that look best are solved.
  const Lookahead* lookahead = nullptr;
  // The root itself gets at least `n_root` candidates: looking at them is cheap.
  u32 n_looked_at = 4;
  u32 n_root = 15;

  u32 candidates_at(u32 depth) const {
    return depth < n_candidates.size() ? n_candidates[depth] : 1;
  }
  // From this depth on every state has one candidate: the greedy tree, pruned.
  bool greedy_from(u32 depth) const {
    if (lookahead != nullptr) return false;
    for (std::size_t d = depth; d < n_candidates.size(); ++d)
      if (n_candidates[d] > 1) return false;
    return true;
  }
};

// One worker's memory: the rows and statistics of the children at every depth.
struct Worker {
  SearchContext context;
  struct Level {
    std::vector<Row> rows;
    std::vector<double> stats;
  };
  std::deque<Level> levels;  // addresses stay while deeper levels are added

  Level& level(u32 depth, std::size_t n_rows, std::size_t stats_width);
};

class Solver {
 public:
  Solver(const SolverParams& params, const Generator& generator, StateMemo* memo,
         std::vector<std::unique_ptr<Worker>>& workers, ThreadPool& pool);

  // The best plan for the rows from depth 0 on.
  Solution solve(const NodeView& root, const FeatureList& features);

  // With a look-ahead: the best plan of every root split that was solved.
  const std::vector<Solution>& root_plans() const { return root_plans_; }

 private:
  struct Action;
  struct SharedBest;
  static constexpr double kNoBudget = std::numeric_limits<double>::infinity();

  Solution solve_state(Worker& w, const NodeView& s, FeatureList features, u32 depth,
                       double budget, const FoundSplit* greedy);
  Solution solve_greedy(Worker& w, const NodeView& s, const FeatureList& features,
                        u32 depth, const FoundSplit* greedy);
  Solution solve_exhaustive_level(Worker& w, const NodeView& s, FeatureList& features);
  Solution solve_last_level(Worker& w, const NodeView& s, FeatureList& features,
                            u32 depth, double budget, const FoundSplit* greedy);
  Solution solve_actions(Worker& w, const NodeView& s, FeatureList& features, u32 depth,
                         double budget, const FoundSplit* greedy);
  Solution solve_root(const NodeView& s, FeatureList& features);

  std::vector<Action> make_actions(Worker& w, const NodeView& s, FeatureList& features,
                                   u32 depth, const FoundSplit* greedy);
  void select_actions(Worker& w, const NodeView& s, const FeatureList& features,
                      std::vector<Action>& actions);
  void bound_actions(Worker& w, const NodeView& s, const FeatureList& features,
                     u32 depth, std::vector<Action>& actions);
  Children children_of(Worker& w, const NodeView& s, u32 depth, Action& action);
  bool within_limits(const Children& children) const;
  bool allowed(const NodeView& s, const Children& children) const;
  void try_action(Worker& w, const NodeView& s, const FeatureList& features, u32 depth,
                  double budget, Action& action, Solution& best);
  void solve_side(Worker& w, const NodeView& s, const FeatureList& features,
                  Action& action, int side, SharedBest& shared);
  void keep_better(Solution& best, const Split& split, const Value& value,
                   const Plan& left, const Plan& right) const;
  void keep_root_plan(const Action& action, const Value& value);
  bool exceeds(double bound, double budget) const {
    return params_.prune && bound > budget + margin_;
  }

  SolverParams params_;
  const Generator& generator_;
  StateMemo* memo_;
  std::vector<std::unique_ptr<Worker>>& workers_;
  ThreadPool& pool_;
  ValueOrder order_;
  std::vector<Solution> root_plans_;
  double margin_ = 0;  // of pruning: far above rounding, far below any real difference
};

// The plan of a grown greedy tree; with `cost`, cut back to its best pruning.
Solution plan_of_greedy(const GreedyGrower& grower, const Cost& cost, bool cut_back,
                        const ValueOrder& order);

}  // namespace dpdtree
