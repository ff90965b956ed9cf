#include "search/forced.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "search/dynamic_program.hpp"
#include "search/extract.hpp"
#include "search/forced_split.hpp"
#include "search/greedy_tree.hpp"
#include "search/value/alpha_hull.hpp"
#include "search/value/leaf_budget_front.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {
namespace {

constexpr i32 kOpen = -1;

OptimalResult joined(const Split& split, double price, const OptimalResult& left,
                     const OptimalResult& right) {
  OptimalResult out;
  const Solution &l = left.solution, &r = right.solution;
  out.solution = {combine(price, l.value, r.value), join(split, l.plan, r.plan)};
  out.lower_bound = price + left.lower_bound + right.lower_bound;
  out.proven = left.proven && right.proven;
  out.evaluations = left.evaluations + right.evaluations;
  return out;
}

// Of two ways to make the same split.
OptimalResult better(const ValueOrder& order, OptimalResult a, const OptimalResult& b) {
  if (order.compare(b.solution.value, a.solution.value) < 0) a.solution = b.solution;
  a.lower_bound = std::min(a.lower_bound, b.lower_bound);
  a.proven = a.proven && b.proven;
  a.evaluations += b.evaluations;
  return a;
}

// One number for a tree that is searched in parts: of a part that is not solved yet,
// what it costs as a leaf.
class PartialProgress {
 public:
  explicit PartialProgress(const ProofWatch& watch) : watch_(watch) {}

  void open(double leaf) { sum_.objective += leaf; }
  void split(double price) {
    sum_.objective += price;
    sum_.lower_bound += price;
  }
  // Reports of one part, which costs that much as a leaf.
  ProofWatch part(double leaf) {
    const Progress before{sum_.objective - leaf, sum_.lower_bound};
    return {[this, before](Progress now) {
              sum_ = {before.objective + now.objective,
                      before.lower_bound + now.lower_bound};
              watch_.report(sum_);
            },
            watch_.may_stop};
  }

 private:
  const ProofWatch& watch_;
  Progress sum_{0, 0};
};

class ForcedTree {
 public:
  ForcedTree(const Search& search, const ProofWatch& watch)
      : s_(search),
        order_(ScalarValue(search.objective, search.root).order()),
        progress_(watch) {}

  OptimalResult run() {
    s_.parts->memos = std::make_shared<ProgramMemos>();
    progress_.open(s_.objective.leaf(s_.root).objective);
    return solve(s_.root, s_.depth, 0, std::nullopt);
  }

 private:
  using Kept = std::optional<Plan>;

  // `kept`: the tree of the state, if it is a part of one that the strategy has found.
  OptimalResult solve(const NodeView& node, u32 depth, i32 index, Kept kept) {
    const Search sub = s_.below(node, depth);
    if (index == kOpen) return open_state(sub, kept);
    if (!kept && keeps_its_tree(s_)) kept = find_tree(sub, {}).solution.plan;
    std::optional<OptimalResult> best;
    bool settled = false;  // the kept tree makes the split in one of the ways
    each_way(sub, index, [&](const Split& split, const Children& children) {
      if (settled) return;
      const bool same =
          kept && divides_alike(s_.context(), node, *kept, split, children);
      const OptimalResult found =
          solve_way(sub, index, split, children, same ? *kept : nullptr);
      best = best && !same ? better(order_, *best, found) : found;
      settled = same;
    });
    return *best;
  }

  OptimalResult open_state(const Search& sub, const Kept& kept) {
    OptimalResult found;
    if (kept) {
      found.solution = valued_at(sub, *kept);
      return found;
    }
    found = find_tree(sub, progress_.part(sub.objective.leaf(sub.root).objective));
    found.solution = valued_at(sub, found.solution.plan);
    return found;
  }

  // `kept`: the tree that makes the same split and goes on below it, or null.
  OptimalResult solve_way(const Search& sub, i32 index, const Split& split,
                          const Children& children, const Plan& kept) {
    const ForcedSplit& forced = forced_split(s_, index);
    const double price = sub.objective.price(s_.context(), sub.root, split) +
                         Cost::feature_price(sub.root, split);
    progress_.open(s_.objective.leaf(children.left).objective +
                   s_.objective.leaf(children.right).objective -
                   s_.objective.leaf(sub.root).objective);
    progress_.split(price);
    const Kept left = kept ? Kept(kept->left) : Kept();
    const Kept right = kept ? Kept(kept->right) : Kept();
    return joined(split, price, solve(children.left, sub.depth + 1, forced.left, left),
                  solve(children.right, sub.depth + 1, forced.right, right));
  }

  const Search& s_;
  ValueOrder order_;
  PartialProgress progress_;
};

// Fronts of trees that begin with the splits.
template <class V>
class ForcedFront {
 public:
  using Front = typename V::Front;

  ForcedFront(const Search& search, const V& value, FrontKind kind)
      : s_(search), value_(value), kind_(kind) {}

  Front solve(const NodeView& node, u32 depth, i32 index) {
    const Search sub = s_.below(node, depth);
    if (index == kOpen)
      return s_.strategy == Strategy::optimal ? proven_front(sub) : open_front(sub);
    const ForcedSplit& forced = forced_split(s_, index);
    Front front;
    each_way(sub, index, [&](const Split& split, const Children& children) {
      const Front left = solve(children.left, depth + 1, forced.left);
      const Front right = solve(children.right, depth + 1, forced.right);
      const auto price = value_.price(s_.context(), node, split);
      value_.add(front, value_.only(split, price, left, right));
    });
    return front;
  }

  bool proven() const { return proven_; }
  u64 evaluations() const { return evaluations_; }

 private:
  // What refinement leaves are trees of other alphas, in no order.
  Front open_front(const Search& sub) {
    Front front = value_.leaf(sub.root);
    for (const Solution& one : find_front(sub, kind_)) {
      Solution point = valued_at(sub, one.plan);
      if (kind_ == FrontKind::leaves) {
        point.x = static_cast<double>(point.value.leaves);
      } else {
        point.x = complexity_of(sub, one.plan);
        point.value.objective -= sub.objective.penalty_rate() * point.x;
      }
      value_.add(front, {point});
    }
    return front;
  }

  // In the unit of Cost::complexity_weight.
  static double complexity_of(const Search& sub, const Plan& plan) {
    const Cost& c = sub.objective;
    const double total =
        extract(sub.problem, c, plan, sub.root.rows, sub.root.constraints).complexity;
    const double first_leaf = c.complexity == Complexity::n_leaves ? 1 : 0;
    return (total - first_leaf) * c.total_weight;
  }

  // A proof for each number of leaves that the other parts may leave to this one.
  Front proven_front(const Search& sub) {
    Front front = value_.leaf(sub.root);
    const u64 others = s_.params.forced_splits.size();
    const u64 most =
        std::min(s_.max_leaves() - others, Cost::max_leaves(sub.max_depth()));
    Search part = sub;
    for (part.leaf_limit = 2; part.leaf_limit <= most; ++part.leaf_limit) {
      const OptimalResult found = find_tree(part, {[](Progress) {}, false});
      proven_ = proven_ && found.proven;
      evaluations_ += found.evaluations;
      Solution point = found.solution;
      point.x = static_cast<double>(point.value.leaves);
      value_.add(front, {point});
      if (s_.stop.stopped()) break;
    }
    return front;
  }

  const Search& s_;
  const V& value_;
  FrontKind kind_;
  bool proven_ = true;
  u64 evaluations_ = 0;
};

const Solution& best_of(const Search& s, const std::vector<Solution>& front) {
  const ValueOrder order = ScalarValue(s.objective, s.root).order();
  return *std::min_element(front.begin(), front.end(),
                           [&](const Solution& a, const Solution& b) {
                             return order.compare(a.value, b.value) < 0;
                           });
}

// The best of at most so many leaves, shared out among all parts.
OptimalResult best_within_leaves(const Search& s) {
  const LeafBudgetFront value(s.objective, s.root, s.max_leaves());
  ForcedFront search(s, value, FrontKind::leaves);
  OptimalResult out;
  out.solution = best_of(s, search.solve(s.root, s.depth, 0));
  out.proven = s.strategy == Strategy::optimal && search.proven() && !s.stop.stopped();
  out.lower_bound = out.proven ? out.solution.value.objective : 0;
  out.evaluations = search.evaluations();
  return out;
}

// Without all columns no split can be made. Who has interrupted a fit is told so later.
void check_time(const Search& s) {
  if (s.stop.reason() == StopReason::time_limit)
    throw InputError("time_limit was up before forced_splits could be made");
  if (s.stop.stopped()) throw Interrupted();
}

template <class V>
std::vector<Solution> front_of(const Search& s, const V& value, FrontKind kind) {
  if (s.strategy == Strategy::greedy)
    return prune_greedy(s.context(), grow_greedy(s, settled_plan(s)), value);
  return ForcedFront(s, value, kind).solve(s.root, s.depth, 0);
}

Solution forced_greedy(const Search& s, const Plan& forced) {
  const GreedyGrower grower = grow_greedy(s, forced);
  if (s.objective.alpha > 0 || s.objective.is_mdl() || !s.params.feature_costs.empty())
    return prune_greedy(s.context(), grower, ScalarValue(s.objective, s.root));
  return {{}, plan_of_greedy(grower)};
}

}  // namespace

Solution valued_at(const Search& s, const Plan& plan) {
  const Cost& c = s.objective;
  const Extracted tree = extract(s.problem, c, plan, s.root.rows, s.root.constraints);
  const double one_leaf =
      c.complexity == Complexity::n_leaves ? c.penalty(c.total_weight) : 0;
  return {{tree.scaled_objective * c.total_weight - one_leaf,
           static_cast<u64>(tree.tree.n_leaves()), 0},
          plan};
}

Solution best_within_leaves(const Search& s, const Split& split,
                            const Children& children) {
  if (s.strategy == Strategy::greedy) {
    const Plan first = join(split, nullptr, nullptr);
    return valued_at(s, forced_greedy(s, first).plan);
  }
  const LeafBudgetFront value(s.objective, s.root, s.max_leaves());
  ForcedFront search(s, value, FrontKind::leaves);
  const auto front = value.only(split, value.price(s.context(), s.root, split),
                                search.solve(children.left, s.depth + 1, kOpen),
                                search.solve(children.right, s.depth + 1, kOpen));
  return best_of(s, front);
}

bool keeps_its_tree(const Search& s) { return s.strategy == Strategy::balanced; }

bool divides_alike(SearchContext& context, const NodeView& node, const Plan& plan,
                   const Split& split, const Children& children) {
  if (plan == nullptr || plan->split.feature != split.feature) return false;
  Split own = plan->split;
  ChildBuffers buffers;
  const Children other =
      context.data.divide(context, node, own, buffers.make_room(node));
  return other.left.n() == children.left.n() &&
         other.left.key() == children.left.key() &&
         other.right.key() == children.right.key();
}

OptimalResult find_forced_tree(const Search& s, const ProofWatch& watch) {
  check_time(s);
  OptimalResult out;
  if (s.strategy == Strategy::greedy)
    out.solution = forced_greedy(s, settled_plan(s));
  else if (s.limits_leaves())
    out = best_within_leaves(s);
  else
    out = ForcedTree(s, watch).run();
  return out;
}

std::vector<Solution> find_forced_front(const Search& s, FrontKind kind) {
  check_time(s);
  if (kind == FrontKind::alpha)
    return front_of(s, AlphaHull(s.objective, s.root), kind);
  return front_of(s, LeafBudgetFront(s.objective, s.root, s.max_leaves()), kind);
}

}  // namespace dpdtree
