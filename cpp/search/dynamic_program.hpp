// Algorithm 1: the Markov decision process of states (a node and its depth) and actions
// (splits), solved depth first with the backup on return. No graph is kept, only one
// row buffer per depth.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "plan/memo.hpp"
#include "search/breadth.hpp"
#include "search/candidates/generator.hpp"
#include "search/search.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {

// What is known of a state. Values beyond the budget may be missing from a front.
template <ValueModel V>
struct StateValue {
  typename V::Front front;
  bool exact = true;     // false: cut short by the clock, still valid plans
  bool pruned = false;   // no plan: all that is known is that it exceeds the budget
  bool complete = true;  // false: something was left out because of the budget alone
};

// `V` says what a state is worth. The generator (φ of the paper) is asked once per
// state: a virtual call costs nothing there, and the program is compiled for three
// value models instead of twelve pairs.
template <ValueModel V>
class DynamicProgram {
 public:
  using Front = typename V::Front;

  // `shared`: what other programs of the same value model, generator and breadth know
  // of states, and will know from this one; null: this one is alone.
  DynamicProgram(const Search& search, const V& value, const Generator& generator,
                 const Breadth& breadth, Memo<StateValue<V>>* shared = nullptr);

  // The best plans from the root on.
  Front solve();

  // With a look-ahead: the best plans of every root split that was solved.
  const std::vector<Front>& root_plans() const { return root_plans_; }

 private:
  using Bound = typename V::Bound;
  using Budget = typename V::Budget;
  using Result = StateValue<V>;
  struct Action;

  struct State {
    const NodeView& node;
    FeatureList features;
    u32 depth;
    const Budget& budget;
    const FoundSplit* greedy;  // its best split, if it is known
    StagePart* part;           // of the fit's progress; null: nobody looks that deep
  };

  // The best of a state so far. At the root, threads share it.
  struct Best {
    Result value;
    bool shared;
    std::mutex mutex;

    std::unique_lock<std::mutex> lock() {
      return shared ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
    }
  };

  const char* stage_name() const {
    return breadth_.lookahead != nullptr ? "dynamic program, looking ahead"
                                         : "dynamic program";
  }
  Result solve(Worker& w, State s);
  // `units` of the fit's progress.
  void follow(Worker& w, const State& s, Action& action, Best& best, u64 units);
  void solve_side(Worker& w, const State& s, Action& action, int side,
                  const Children& children, const Budget& budget, Best& best,
                  u64 units);
  Bound least_of_other(const Action& action, int side, const Children& children,
                       u32 levels, Best& best) const;
  void combine_in_order(const State& s, const std::vector<Action>& actions,
                        Front& best);
  template <class F>
  void each(bool shared, Worker& w, std::size_t n, const F& f);

  // What only saves time.
  std::optional<Result> shortcut(Worker& w, State& s);
  Result remember(Worker& w, const State& s, Result known);
  Result greedy_tail(Worker& w, const State& s);
  Result last_level(Worker& w, State& s);
  Result exhaustive_level(Worker& w, State& s);
  Children leaves_of(Worker& w, const NodeView& node, Split& split) const;
  Hash128 key(const State& s) const;
  Bound least(const NodeView& node, u32 levels) const;
  bool exceeds(const Bound& bound, const Budget& budget) const {
    return breadth_.prune && value_.exceeds(bound, budget);
  }

  // φ: which splits are tried, in which order, and which are left out unseen.
  std::vector<Action> actions(Worker& w, State& s);
  std::vector<Split> candidates(Worker& w, State& s);
  std::vector<Action> chosen_actions(Worker& w, State& s);
  void select_actions(Worker& w, const State& s, std::vector<Action>& actions);
  void bound_actions(Worker& w, const State& s, std::vector<Action>& actions);
  void bound_side(Worker& w, const State& s, const NodeView& child, Action& action,
                  int side);
  Children children_of(Worker& w, const State& s, Action& action);
  bool allowed(const State& s, const Children& children, const Split& split) const;
  bool decreases_enough(const NodeView& node, const Children& children) const;

  // The plans of all splits are wanted, whatever the best of them.
  bool keeps_roots(const State& s) const {
    return breadth_.lookahead != nullptr && breadth_.keep_roots && is_root(s);
  }
  bool is_root(const State& s) const { return s.depth == search_.depth; }
  u32 levels_of(const State& s) const { return breadth_.max_depth - s.depth; }

  const Search& search_;
  V value_;
  const Generator& generator_;
  Breadth breadth_;
  std::optional<Memo<Result>> own_memo_;
  Memo<Result>* memo_;  // may be null
  std::vector<Front> root_plans_;
};

// What the programs of several searches of one fit know of states.
struct ProgramMemos {
  static constexpr std::size_t kBytes = 64u << 20;
  Memo<StateValue<ScalarValue>> paper{kBytes};
  Memo<StateValue<ScalarValue>> deep{kBytes};
};

}  // namespace dpdtree
