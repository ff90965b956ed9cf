#include "search/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/rng.hpp"
#include "search/alternative_splits.hpp"
#include "search/dynamic_program.hpp"
#include "search/forced.hpp"
#include "search/forced_split.hpp"
#include "search/node_record.hpp"
#include "search/tuning.hpp"

namespace dpdtree {
namespace {

struct HashOfKey {
  std::size_t operator()(const Hash128& h) const { return h.lo; }
};

// A plan, or none: then the strategy has to find one.
using Kept = std::optional<Plan>;

u64 name_of(const Split& split) {
  u64 name = mix64(split.feature) ^ mix64(split.cut + (u64{1} << 40));
  name ^= mix64(static_cast<u64>(split.missing) + (u64{2} << 40));
  if (split.categories)
    for (u32 c = 0; c < split.categories->capacity(); ++c)
      if (split.categories->contains(c)) name ^= mix64(c + (u64{3} << 40));
  return name;
}

u64 name_of(const Plan& plan) {
  if (plan == nullptr) return 0x9e3779b97f4a7c15ULL;
  return mix64(name_of(plan->split) + 3 * name_of(plan->left) +
               7 * name_of(plan->right));
}

u64 leaves_of(const Plan& plan) {
  return plan == nullptr ? 1 : leaves_of(plan->left) + leaves_of(plan->right);
}

// Numbered anew, so that a state comes before all those that are reached from it.
std::vector<StateRecord> by_depth(std::vector<StateRecord> states) {
  std::vector<i64> order(states.size()), index(states.size());
  std::iota(order.begin(), order.end(), i64{0});
  const auto at = [](auto& list, i64 i) -> auto& {
    return list[static_cast<std::size_t>(i)];
  };
  std::stable_sort(order.begin(), order.end(), [&](i64 a, i64 b) {
    return at(states, a).depth < at(states, b).depth;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    at(index, order[i]) = static_cast<i64>(i);
  std::vector<StateRecord> out;
  out.reserve(states.size());
  for (const i64 old : order) {
    out.push_back(std::move(at(states, old)));
    for (ActionRecord& action : out.back().actions) {
      action.left = at(index, action.left);
      action.right = at(index, action.right);
    }
  }
  return out;
}

class AlternativesSearch {
 public:
  AlternativesSearch(const Search& search, const AlternativesParams& wanted)
      : s_(search), wanted_(wanted), splits_(search) {}

  std::vector<StateRecord> run() {
    s_.parts->memos = std::make_shared<ProgramMemos>();
    const Plan own = own_tree();
    expand(s_.root, {s_.depth, own, s_.max_leaves(), true});
    if (tuned_without_noise(s_, own).one_leaf()) stop_at_root();
    return by_depth(std::move(states_));
  }

 private:
  // How a state was reached.
  struct Reached {
    u32 depth;
    Kept kept;
    u64 max_leaves;  // counts with max_leaf_nodes only
    bool on_tree;    // by the tree's own splits
  };

  struct Choice {
    Split split;
    bool own = false;
    double objective = 0;
    u32 n_left = 0;
    Plan plan;  // that begins with the split; null: each side is a search of its own
  };

  Plan own_tree() {
    if (wanted_.tree_is_given)
      return s_.params.forced_splits.empty() ? nullptr : settled_plan(s_);
    if (s_.params.forced_splits.empty()) return solved(s_).plan;
    return find_forced_tree(s_, {[](Progress) {}, false}).solution.plan;
  }

  // The fit has found splits, and takes all of them for noise.
  void stop_at_root() {
    StateRecord& root = states_[0];
    root.stops = true;
    root.best = root.leaf;
    sort_by_objective(root.actions, 0);
  }

  static void sort_by_objective(std::vector<ActionRecord>& actions, i64 first) {
    std::stable_sort(actions.begin() + first, actions.end(),
                     [](const auto& a, const auto& b) {
                       return a.worth.objective < b.worth.objective;
                     });
  }

  // Returns the number of the state.
  i64 expand(const NodeView& node, const Reached& how) {
    const Hash128 key = key_of(node, how.depth, how.kept, how.max_leaves);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    Search sub = s_.below(node, how.depth);
    sub.leaf_limit = how.max_leaves;
    const Plan plan = how.kept ? *how.kept : solved(sub).plan;
    const auto id = static_cast<std::size_t>(add_state(sub));
    known_.emplace(key, static_cast<i64>(id));
    std::vector<ActionRecord> actions;
    for (const Choice& choice : choices(sub, plan, how.on_tree))
      actions.push_back(follow(sub, choice, how.on_tree));
    sort_by_objective(actions, plan != nullptr ? 1 : 0);
    StateRecord& state = states_[id];
    state.stops = plan == nullptr;
    state.best = state.stops ? state.leaf : actions[0].worth;
    state.actions = std::move(actions);
    return static_cast<i64>(id);
  }

  ActionRecord follow(const Search& sub, const Choice& choice, bool on_tree) {
    const NodeView& node = sub.root;
    Split split = choice.split;
    ChildBuffers buffers;
    const Children children =
        s_.source().divide(s_.context(), node, split, buffers.make_room(node));
    const auto side = [&](const NodeView& child, const Plan PlanNode::* part) {
      Reached how{sub.depth + 1, {}, ~0ULL, on_tree && choice.own};
      if (choice.plan != nullptr) how.kept = (*choice.plan).*part;
      if (s_.limits_leaves())
        how.max_leaves =
            sub.max_leaves() - leaves_of(choice.plan) + leaves_of(*how.kept);
      return expand(child, how);
    };
    ActionRecord out;
    out.left = side(children.left, &PlanNode::left);
    out.right = side(children.right, &PlanNode::right);
    describe(sub, split, out);
    out.worth = joined(sub, split, state(out.left).best, state(out.right).best);
    return out;
  }

  void describe(const Search& sub, const Split& split, ActionRecord& out) const {
    out.feature = split.feature;
    out.threshold = std::numeric_limits<double>::quiet_NaN();
    out.missing_left = split.missing == Missing::left;
    if (!split.categories)
      out.threshold = readable_threshold(s_.problem, split, sub.root.rows);
    else
      out.categories = left_categories(s_.problem, split, sub.root.rows, s_.set.rows);
  }

  // What refinement has found, and proofs, need not be searched for again below; and
  // where leaves are shared out, a part of a tree is what it is in that tree.
  bool keeps_plans() const {
    return keeps_its_tree(s_) || s_.strategy == Strategy::optimal ||
           !s_.params.forced_splits.empty() || s_.limits_leaves();
  }

  // The splits to follow, the strategy's own first.
  std::vector<Choice> choices(const Search& sub, const Plan& plan, bool on_tree) {
    std::vector<Choice> out;
    if (sub.max_depth() == 0) return out;
    const u32 most = s_.stop.stopped() ? 1 : most_at(sub.depth, on_tree);
    if (plan != nullptr) out.push_back(own_choice(sub, plan));
    if (most <= 1 || sub.max_leaves() == 1) return out;
    std::vector<Choice> others;
    for (const Split& split : splits_.propose(sub, most, plan, on_tree))
      if (const auto choice = judged(sub, split)) others.push_back(*choice);
    std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
      return a.objective < b.objective;
    });
    for (const Choice& choice : others)
      if (out.size() < most && is_new(sub, choice, out)) out.push_back(choice);
    return out;
  }

  Choice own_choice(const Search& sub, const Plan& plan) {
    Split split = plan->split;
    ChildBuffers buffers;
    const Children children =
        s_.source().divide(s_.context(), sub.root, split, buffers.make_room(sub.root));
    return {plan->split, true, 0, children.left.n(), keeps_plans() ? plan : nullptr};
  }

  // With what its best completion is worth; nothing if it breaks a limit.
  std::optional<Choice> judged(const Search& sub, Split split) {
    ChildBuffers buffers;
    const Children children =
        s_.source().divide(s_.context(), sub.root, split, buffers.make_room(sub.root));
    if (!splits_.allowed(sub, children, split)) return std::nullopt;
    const u32 n_left = children.left.n();
    if (s_.limits_leaves()) {
      const Solution best = best_within_leaves(sub, split, children);
      return Choice{split, false, best.value.objective, n_left, best.plan};
    }
    const double price = sub.objective.price(s_.context(), sub.root, split) +
                         Cost::feature_price(sub.root, split);
    const auto worth = [&](const NodeView& child) {
      return solved(s_.below(child, sub.depth + 1)).value.objective;
    };
    const double objective = price + worth(children.left) + worth(children.right);
    return Choice{split, false, objective, n_left, nullptr};
  }

  // Thresholds so near to each other that hardly a row changes sides are one choice.
  static bool is_new(const Search& sub, const Choice& choice,
                     const std::vector<Choice>& chosen) {
    const double few = 0.05 * sub.root.n();
    return std::none_of(chosen.begin(), chosen.end(), [&](const Choice& c) {
      if (c.split.feature != choice.split.feature) return false;
      if (choice.split.categories) return c.split.same_rows(choice.split);
      const double moved = std::abs(static_cast<double>(c.n_left) - choice.n_left);
      return moved <= few && c.split.missing == choice.split.missing;
    });
  }

  // The strategy's tree of a state.
  const Solution& solved(const Search& sub) {
    const Hash128 key = key_of(sub.root, sub.depth, std::nullopt, sub.max_leaves());
    if (const auto it = plans_.find(key); it != plans_.end()) return it->second;
    Solution found = find_tree(sub, {[](Progress) {}, false}).solution;
    if (s_.strategy == Strategy::greedy) found = valued_at(sub, found.plan);
    return plans_.emplace(key, std::move(found)).first->second;
  }

  Hash128 key_of(const NodeView& node, u32 depth, const Kept& kept,
                 u64 max_leaves) const {
    Hash128 key = node.key();
    key.lo ^= mix64(depth + (u64{4} << 40));
    if (s_.limits_leaves()) key.lo ^= mix64(max_leaves + (u64{5} << 40));
    if (kept) key.hi ^= name_of(*kept);
    return key;
  }

  i64 add_state(const Search& sub) {
    const NodeView& node = sub.root;
    const Cost& c = s_.objective;
    StateRecord state;
    state.depth = sub.depth;
    state.n_rows = node.n();
    state.weight = node.weight * s_.problem.targets.weight_scale;
    state.impurity = node_impurity(c, node);
    state.value = node_value(s_.problem, c, node);
    state.leaf.loss = in_callers_unit(c.leaf_loss(node));
    state.leaf.complexity = c.complexity == Complexity::n_leaves ? 1 : 0;
    set_objective(state.leaf);
    states_.push_back(std::move(state));
    return static_cast<i64>(states_.size()) - 1;
  }

  Worth joined(const Search& sub, const Split& split, const Worth& left,
               const Worth& right) {
    const NodeView& node = sub.root;
    const Cost& c = s_.objective;
    Worth out;
    out.loss = left.loss + right.loss;
    out.complexity = left.complexity + right.complexity;
    if (c.is_mdl())
      out.complexity += in_callers_unit(c.price(s_.context(), node, split));
    else if (c.complexity == Complexity::path_length)
      out.complexity += node.weight / c.total_weight;
    out.feature_cost = left.feature_cost + right.feature_cost +
                       in_callers_unit(Cost::feature_price(node, split));
    out.n_leaves = left.n_leaves + right.n_leaves;
    set_objective(out);
    return out;
  }

  double in_callers_unit(double sum) const {
    return sum / s_.objective.total_weight * s_.objective.loss_unit;
  }
  void set_objective(Worth& worth) const {
    const double alpha = s_.objective.is_mdl() ? 1 : s_.objective.alpha;
    worth.objective = worth.loss + alpha * worth.complexity + worth.feature_cost;
  }

  u32 most_at(u32 depth, bool on_tree) const {
    const bool elsewhere = !on_tree && !wanted_.k_elsewhere.empty();
    const std::vector<u32>& k = elsewhere ? wanted_.k_elsewhere : wanted_.k;
    return depth < k.size() ? k[depth] : 1;
  }
  const StateRecord& state(i64 id) const {
    return states_[static_cast<std::size_t>(id)];
  }

  const Search& s_;
  const AlternativesParams& wanted_;
  AlternativeSplits splits_;
  std::vector<StateRecord> states_;
  std::unordered_map<Hash128, i64, HashOfKey> known_;
  std::unordered_map<Hash128, Solution, HashOfKey> plans_;
};

}  // namespace

std::vector<StateRecord> find_alternatives(const Search& s,
                                           const AlternativesParams& wanted) {
  return AlternativesSearch(s, wanted).run();
}

}  // namespace dpdtree
