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
#include "search/node_record.hpp"

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

// Numbered anew, so that a state comes before all those that are reached from it.
std::vector<StateRecord> by_depth(std::vector<StateRecord> states) {
  std::vector<i64> order(states.size()), place(states.size());
  std::iota(order.begin(), order.end(), i64{0});
  const auto at = [](auto& list, i64 i) -> auto& {
    return list[static_cast<std::size_t>(i)];
  };
  std::stable_sort(order.begin(), order.end(), [&](i64 a, i64 b) {
    return at(states, a).depth < at(states, b).depth;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    at(place, order[i]) = static_cast<i64>(i);
  std::vector<StateRecord> out;
  out.reserve(states.size());
  for (const i64 old : order) {
    out.push_back(std::move(at(states, old)));
    for (ActionRecord& action : out.back().actions) {
      action.left = at(place, action.left);
      action.right = at(place, action.right);
    }
  }
  return out;
}

class AlternativesSearch {
 public:
  AlternativesSearch(const Search& search, const std::vector<u32>& k)
      : s_(search), k_(k), splits_(search) {}

  std::vector<StateRecord> run() {
    s_.parts->memos = std::make_shared<ProgramMemos>();
    Kept forced;  // splits that are given are the tree's own
    if (!s_.params.forced_splits.empty())
      forced = find_forced_tree(s_, {[](Progress) {}, false}).solution.plan;
    expand(s_.root, s_.depth, forced);
    return by_depth(std::move(states_));
  }

 private:
  // A split of a state with its children's plans; they live until the next division of
  // the same depth.
  struct Choice {
    Split split;
    bool own = false;
    double objective = 0;
    u32 n_left = 0;
  };

  // Returns the number of the state.
  i64 expand(const NodeView& node, u32 depth, const Kept& kept) {
    const Hash128 key = key_of(node, depth, kept);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    const Search sub = s_.below(node, depth);
    const Plan plan = kept ? *kept : solved(sub).plan;
    const auto id = static_cast<std::size_t>(add_state(sub));
    known_.emplace(key, static_cast<i64>(id));
    std::vector<ActionRecord> actions;
    for (const Choice& choice : choices(sub, plan))
      actions.push_back(follow(sub, choice, plan));
    const auto first = actions.begin() + (plan != nullptr ? 1 : 0);
    std::stable_sort(first, actions.end(), [](const auto& a, const auto& b) {
      return a.worth.objective < b.worth.objective;
    });
    StateRecord& state = states_[id];
    state.stops = plan == nullptr;
    state.best = state.stops ? state.leaf : actions[0].worth;
    state.actions = std::move(actions);
    return static_cast<i64>(id);
  }

  ActionRecord follow(const Search& sub, const Choice& choice, const Plan& plan) {
    const NodeView& node = sub.root;
    Split split = choice.split;
    ChildBuffers buffers;
    const Children children =
        s_.source().divide(s_.context(), node, split, buffers.make_room(node));
    const bool keeps = choice.own && keeps_plans();
    ActionRecord out;
    out.left = expand(children.left, sub.depth + 1, keeps ? Kept(plan->left) : Kept());
    out.right =
        expand(children.right, sub.depth + 1, keeps ? Kept(plan->right) : Kept());
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

  // What refinement has found, and proofs, need not be searched for again below.
  bool keeps_plans() const {
    return keeps_its_tree(s_) || s_.strategy == Strategy::optimal ||
           !s_.params.forced_splits.empty();
  }

  // The splits to follow, the strategy's own first.
  std::vector<Choice> choices(const Search& sub, const Plan& plan) {
    std::vector<Choice> out;
    if (sub.max_depth() == 0) return out;
    const u32 most = s_.stop.stopped() ? 1 : k_at(sub.depth);
    if (plan != nullptr) out.push_back(own_choice(sub, plan->split));
    if (most <= 1) return out;
    std::vector<Choice> others;
    for (const Split& split : splits_.propose(sub, most, plan))
      if (const auto choice = judged(sub, split)) others.push_back(*choice);
    std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
      return a.objective < b.objective;
    });
    for (const Choice& choice : others)
      if (out.size() < most && is_new(sub, choice, out)) out.push_back(choice);
    return out;
  }

  Choice own_choice(const Search& sub, const Split& own) {
    Split split = own;
    ChildBuffers buffers;
    const Children children =
        s_.source().divide(s_.context(), sub.root, split, buffers.make_room(sub.root));
    return {own, true, 0, children.left.n()};
  }

  // With what its best completion is worth; nothing if it breaks a limit.
  std::optional<Choice> judged(const Search& sub, Split split) {
    ChildBuffers buffers;
    const Children children =
        s_.source().divide(s_.context(), sub.root, split, buffers.make_room(sub.root));
    if (!splits_.allowed(sub, children, split)) return std::nullopt;
    const double price = sub.objective.price(s_.context(), sub.root, split) +
                         Cost::feature_price(sub.root, split);
    const auto worth = [&](const NodeView& child) {
      return solved(s_.below(child, sub.depth + 1)).value.objective;
    };
    const double objective = price + worth(children.left) + worth(children.right);
    return Choice{split, false, objective, children.left.n()};
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
    const Hash128 key = key_of(sub.root, sub.depth, std::nullopt);
    if (const auto it = plans_.find(key); it != plans_.end()) return it->second;
    Solution found = find_tree(sub, {[](Progress) {}, false}).solution;
    if (s_.strategy == Strategy::greedy) found = valued_at(sub, found.plan);
    return plans_.emplace(key, std::move(found)).first->second;
  }

  Hash128 key_of(const NodeView& node, u32 depth, const Kept& kept) const {
    Hash128 key = node.key();
    key.lo ^= mix64(depth + (u64{4} << 40));
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

  u32 k_at(u32 depth) const { return depth < k_.size() ? k_[depth] : 1; }
  const StateRecord& state(i64 id) const {
    return states_[static_cast<std::size_t>(id)];
  }

  const Search& s_;
  const std::vector<u32>& k_;
  AlternativeSplits splits_;
  std::vector<StateRecord> states_;
  std::unordered_map<Hash128, i64, HashOfKey> known_;
  std::unordered_map<Hash128, Solution, HashOfKey> plans_;
};

}  // namespace

std::vector<StateRecord> find_alternatives(const Search& s, const std::vector<u32>& k) {
  return AlternativesSearch(s, k).run();
}

}  // namespace dpdtree
