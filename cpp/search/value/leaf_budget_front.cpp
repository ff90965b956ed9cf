#include "search/value/leaf_budget_front.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpdtree {
namespace {

// Larger budgets would cost more time than they save; none is always valid.
constexpr std::size_t kMostSteps = 4096;

double value_at(const std::vector<BoundPoint>& steps, double leaves) {
  const auto after = std::upper_bound(
      steps.begin(), steps.end(), leaves,
      [](double value, const BoundPoint& step) { return value < step.x; });
  return after == steps.begin() ? std::numeric_limits<double>::infinity()
                                : (after - 1)->y;
}

// Sorts, and keeps the points that are below all before them.
void keep_descending(std::vector<BoundPoint>& steps) {
  std::sort(steps.begin(), steps.end(), [](const BoundPoint& a, const BoundPoint& b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  std::size_t n = 0;
  for (const BoundPoint& step : steps)
    if (n == 0 || step.y < steps[n - 1].y) steps[n++] = step;
  steps.resize(n);
}

// The best pair of points with so many leaves together.
struct BestPair {
  const Solution* left = nullptr;
  const Solution* right = nullptr;
  Value value;
};

}  // namespace

LeafBudgetFront::Bound LeafBudgetFront::bound_of(const Front& front) const {
  Bound bound;
  for (const Solution& p : front) bound.push_back({p.x, p.value.objective});
  return bound;
}

LeafBudgetFront::Bound LeafBudgetFront::after_split(const NodeView& s,
                                                    u32 levels) const {
  const u64 most = std::min(max_leaves_, Cost::max_leaves(levels));
  const double price = least_price(s);
  const double least = price + cost_.least_of_leaves(s, most);
  Bound bound;
  for (u64 k = 2; k <= most; ++k) {
    const double y = price + cost_.least_of_leaves(s, k);
    bound.push_back({static_cast<double>(k), y});
    if (y <= least) break;
  }
  return bound;
}

LeafBudgetFront::Bound LeafBudgetFront::either(const Bound& a, const Bound& b) const {
  Bound both = a;
  both.insert(both.end(), b.begin(), b.end());
  keep_descending(both);
  return both;
}

LeafBudgetFront::Bound LeafBudgetFront::sum(double price, const Bound& left,
                                            const Bound& right) const {
  Bound all;
  for (const BoundPoint& l : left)
    for (const BoundPoint& r : right) all.push_back({l.x + r.x, price + l.y + r.y});
  keep_descending(all);
  return all;
}

bool LeafBudgetFront::useless(const Bound& bound, const Front& best) const {
  const Bound now = bound_of(best);
  return std::all_of(bound.begin(), bound.end(), [&](const BoundPoint& p) {
    return p.x > static_cast<double>(max_leaves_) ||
           p.y >= value_at(now, p.x) - order_.tolerance;
  });
}

bool LeafBudgetFront::exceeds(const Bound& bound, const Budget& budget) const {
  if (!limited(budget)) return false;
  return std::all_of(bound.begin(), bound.end(), [&](const BoundPoint& p) {
    return p.x > static_cast<double>(max_leaves_) ||
           p.y > value_at(budget.steps, p.x) + margin_;
  });
}

LeafBudgetFront::Budget LeafBudgetFront::lower_of(const Budget& budget,
                                                  const Front& best) const {
  return {either(budget.steps, bound_of(best))};
}

// A side with j leaves is of use if, with some m leaves on the other side, both stay
// within the budget of j + m leaves.
LeafBudgetFront::Budget LeafBudgetFront::for_side(const Budget& budget, double price,
                                                  const Bound& other) const {
  if (!limited(budget) || budget.steps.size() * other.size() > kMostSteps) return {};
  std::vector<double> steps_of_leaves{1};
  for (const BoundPoint& step : budget.steps)
    for (const BoundPoint& o : other)
      if (step.x - o.x > 1) steps_of_leaves.push_back(step.x - o.x);
  std::sort(steps_of_leaves.begin(), steps_of_leaves.end());
  steps_of_leaves.erase(std::unique(steps_of_leaves.begin(), steps_of_leaves.end()),
                        steps_of_leaves.end());
  Budget out;
  for (const double j : steps_of_leaves) {
    double most = -std::numeric_limits<double>::infinity();
    for (const BoundPoint& o : other)
      most = std::max(most, value_at(budget.steps, j + o.x) - o.y - price);
    out.steps.push_back({j, most});
  }
  return out;
}

void LeafBudgetFront::backup(Front& best, const Split& split, double price,
                             const Front& left, const Front& right) const {
  const u64 most =
      std::min(max_leaves_, left.back().value.leaves + right.back().value.leaves);
  std::vector<BestPair> pairs(most + 1);
  for (const Solution& l : left) {
    for (const Solution& r : right) {
      const Value value = combine(price, l.value, r.value);
      if (value.leaves > most) break;
      BestPair& pair = pairs[value.leaves];
      if (pair.left == nullptr || order_.compare(value, pair.value) < 0)
        pair = {&l, &r, value};
    }
  }
  Front more;
  std::size_t old = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (u64 k = 2; k <= most; ++k) {
    const BestPair& pair = pairs[k];
    while (old < best.size() && best[old].value.leaves <= k)
      lowest = std::min(lowest, best[old++].value.objective);
    // A tie may still win by its impurity or its split.
    if (pair.left == nullptr || pair.value.objective > lowest + order_.tolerance)
      continue;
    lowest = std::min(lowest, pair.value.objective);
    more.push_back({pair.value, join(split, pair.left->plan, pair.right->plan),
                    static_cast<double>(k)});
  }
  if (!more.empty()) add(best, more);
}

void LeafBudgetFront::add(Front& front, const Front& more) const {
  front.insert(front.end(), more.begin(), more.end());
  keep_improving(front);
}

void LeafBudgetFront::keep_improving(Front& front) const {
  std::stable_sort(front.begin(), front.end(),
                   [](const Solution& a, const Solution& b) { return a.x < b.x; });
  std::size_t n = 0;
  for (Solution& p : front) {
    if (p.x > static_cast<double>(max_leaves_)) break;
    const bool same = n > 0 && front[n - 1].x == p.x;
    if (same && !better(p.value, p.plan, front[n - 1].value, front[n - 1].plan))
      continue;
    const std::size_t index = same ? n - 1 : n;
    const bool improves =
        index == 0 ||
        p.value.objective < front[index - 1].value.objective - order_.tolerance;
    if (!improves) continue;
    if (&front[index] != &p) front[index] = std::move(p);
    n = index + 1;
  }
  front.resize(n);
}

}  // namespace dpdtree
