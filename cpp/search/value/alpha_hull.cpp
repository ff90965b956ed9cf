#include "search/value/alpha_hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpdtree {
namespace {

using Knots = std::vector<BoundPoint>;

// The smallest y + alpha · x.
double at(const std::vector<BoundPoint>& points, double alpha) {
  double least = std::numeric_limits<double>::infinity();
  for (const BoundPoint& p : points) least = std::min(least, p.y + alpha * p.x);
  return least;
}

// Where two neighbours of a hull are worth the same.
template <class P, class Y>
double slope_between(const P& a, const P& b, Y y) {
  return (y(a) - y(b)) / (b.x - a.x);
}

// The function of alpha that a hull stands for, by its knots.
template <class P, class Y>
Knots knots_of(const std::vector<P>& hull, Y y) {
  Knots knots{{0, y(hull.back())}};
  for (std::size_t i = hull.size(); i-- > 1;) {
    const double alpha = slope_between(hull[i - 1], hull[i], y);
    knots.push_back({alpha, y(hull[i]) + alpha * hull[i].x});
  }
  return knots;
}

constexpr auto loss_of = [](const Solution& p) { return p.value.objective; };
constexpr auto y_of = [](const BoundPoint& p) { return p.y; };

double interpolate(const Knots& knots, double alpha) {
  const auto right =
      std::lower_bound(knots.begin(), knots.end(), alpha,
                       [](const BoundPoint& k, double value) { return k.x < value; });
  if (right == knots.end()) return knots.back().y;
  if (right == knots.begin() || right->x == alpha) return right->y;
  const auto left = right - 1;
  const double t = (alpha - left->x) / (right->x - left->x);
  return left->y + t * (right->y - left->y);
}

std::vector<double> merged_alphas(const Knots& a, const Knots& b) {
  std::vector<double> alphas;
  for (const auto* knots : {&a, &b})
    for (const BoundPoint& k : *knots) alphas.push_back(k.x);
  std::sort(alphas.begin(), alphas.end());
  alphas.erase(std::unique(alphas.begin(), alphas.end()), alphas.end());
  return alphas;
}

// Keeps the lower convex hull of points in ascending order of x.
template <class P, class Y>
void make_convex(std::vector<P>& points, Y y, double tolerance) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (n > 0 && y(points[i]) >= y(points[n - 1]) - tolerance) continue;
    while (n > 1) {
      const P &a = points[n - 2], &b = points[n - 1], &c = points[i];
      const double chord = y(a) + (y(c) - y(a)) * ((b.x - a.x) / (c.x - a.x));
      if (y(b) < chord - tolerance) break;
      --n;
    }
    if (n != i) points[n] = std::move(points[i]);
    ++n;
  }
  points.resize(n);
}

// Of points in ascending order of x: the best of those whose x are equal up to
// rounding.
template <class P, class Wins>
void keep_best_of_each_x(std::vector<P>& points, double tolerance, Wins wins) {
  std::size_t n = 0;
  for (P& p : points) {
    if (n > 0 && p.x <= points[n - 1].x + tolerance) {
      if (wins(p, points[n - 1])) points[n - 1] = std::move(p);
    } else if (&p != &points[n]) {
      points[n++] = std::move(p);
    } else {
      ++n;
    }
  }
  points.resize(n);
}

constexpr auto by_x = [](const auto& a, const auto& b) { return a.x < b.x; };

// A point of the new front: an old one, or the sum of one of each side.
struct Candidate {
  double x;
  Value value;
  const Solution* old;
  const Solution* left;
  const Solution* right;
};

constexpr auto candidate_loss = [](const Candidate& c) { return c.value.objective; };

// The Minkowski sum of two hulls, shifted: steepest edges first.
void add_sums(std::vector<Candidate>& out, const AlphaHull::Price& price,
              const AlphaHull::Front& left, const AlphaHull::Front& right) {
  std::size_t i = 0, j = 0;
  while (true) {
    const Solution &l = left[i], &r = right[j];
    out.push_back({price.complexity + l.x + r.x, combine(price.loss, l.value, r.value),
                   nullptr, &l, &r});
    const bool more_left = i + 1 < left.size(), more_right = j + 1 < right.size();
    if (!more_left && !more_right) return;
    const bool step_left =
        !more_right || (more_left && slope_between(l, left[i + 1], loss_of) >=
                                         slope_between(r, right[j + 1], loss_of));
    ++(step_left ? i : j);
  }
}

}  // namespace

AlphaHull::AlphaHull(const Cost& cost, const NodeView& root)
    : ValueModelBase(cost, root), x_tolerance_(kRounding * cost.total_weight) {}

AlphaHull::Front AlphaHull::leaf(const NodeView& s) const {
  return {{cost_.leaf(s), nullptr}};
}

AlphaHull::Bound AlphaHull::bound_of(const Front& front) const {
  Bound bound;
  for (const Solution& p : front) bound.push_back({p.x, p.value.objective});
  return bound;
}

AlphaHull::Bound AlphaHull::after_split(const NodeView& s, u32 levels) const {
  return {{least_price(s).complexity, cost_.least_loss(s, levels)}};
}

AlphaHull::Bound AlphaHull::after_stump(const NodeView& s, double loss) const {
  return {{least_price(s).complexity, loss}};
}

AlphaHull::Bound AlphaHull::either(const Bound& a, const Bound& b) const {
  Bound both = a;
  both.insert(both.end(), b.begin(), b.end());
  std::sort(both.begin(), both.end(), [](const BoundPoint& p, const BoundPoint& q) {
    return p.x != q.x ? p.x < q.x : p.y < q.y;
  });
  make_convex(both, y_of, 0);
  return both;
}

AlphaHull::Bound AlphaHull::sum(const Price& price, const Bound& left,
                                const Bound& right) const {
  Bound all;
  for (const BoundPoint& l : left)
    for (const BoundPoint& r : right)
      all.push_back({price.complexity + l.x + r.x, price.loss + l.y + r.y});
  return either(all, {});
}

double AlphaHull::sort_key(const Bound& bound) const { return bound.back().y; }

bool AlphaHull::useless(const Bound& bound, const Front& best) const {
  for (const BoundPoint& k : knots_of(best, loss_of))
    if (at(bound, k.x) < k.y - order_.tolerance) return false;
  return true;
}

bool AlphaHull::exceeds(const Bound& bound, const Budget& budget) const {
  if (!limited(budget)) return false;
  for (const BoundPoint& k : budget.knots)
    if (at(bound, k.x) <= k.y + margin_ + kRounding * std::abs(k.y)) return false;
  return true;
}

AlphaHull::Budget AlphaHull::lower_of(const Budget& budget, const Front& best) const {
  const Knots own = knots_of(best, loss_of);
  if (!limited(budget)) return {own};
  Knots out;
  double last_gap = 0;
  for (const double alpha : merged_alphas(budget.knots, own)) {
    const double a = interpolate(budget.knots, alpha), b = interpolate(own, alpha);
    const double gap = a - b;
    if (!out.empty() && gap * last_gap < 0) {  // they cross: one more knot
      const BoundPoint last = out.back();
      const double t = last_gap / (last_gap - gap);
      const double crossing = last.x + t * (alpha - last.x);
      out.push_back({crossing, interpolate(own, crossing)});
    }
    out.push_back({alpha, std::min(a, b)});
    last_gap = gap;
  }
  return {out};
}

AlphaHull::Budget AlphaHull::for_side(const Budget& budget, const Price& price,
                                      const Bound& other) const {
  if (!limited(budget)) return {};
  Knots out;
  for (const double alpha : merged_alphas(budget.knots, knots_of(other, y_of)))
    out.push_back({alpha, interpolate(budget.knots, alpha) - alpha * price.complexity -
                              price.loss - at(other, alpha)});
  return {out};
}

void AlphaHull::backup(Front& best, const Split& split, const Price& price,
                       const Front& left, const Front& right) const {
  std::vector<Candidate> all;
  all.reserve(best.size() + left.size() + right.size());
  for (const Solution& p : best) all.push_back({p.x, p.value, &p, nullptr, nullptr});
  add_sums(all, price, left, right);
  std::stable_sort(all.begin(), all.end(), by_x);
  const auto wins = [&](const Candidate& a, const Candidate& b) {
    const int c = order_.compare(a.value, b.value);
    if (c != 0) return c < 0;
    if ((a.old == nullptr) == (b.old == nullptr)) return false;
    const Plan& plan = (a.old != nullptr ? a.old : b.old)->plan;
    const bool new_wins = plan != nullptr && earlier(split, plan->split);
    return (a.old == nullptr) == new_wins;
  };
  keep_best_of_each_x(all, x_tolerance_, wins);
  make_convex(all, candidate_loss, order_.tolerance);
  Front out;
  out.reserve(all.size());
  for (const Candidate& c : all) {
    if (c.old != nullptr)
      out.push_back(*c.old);
    else
      out.push_back({c.value, join(split, c.left->plan, c.right->plan), c.x});
  }
  best = std::move(out);
}

void AlphaHull::add(Front& front, const Front& more) const {
  front.insert(front.end(), more.begin(), more.end());
  std::stable_sort(front.begin(), front.end(), by_x);
  keep_best_of_each_x(front, x_tolerance_, [&](const Solution& a, const Solution& b) {
    return better(a.value, a.plan, b.value, b.plan);
  });
  make_convex(front, loss_of, order_.tolerance);
}

}  // namespace dpdtree
