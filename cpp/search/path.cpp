#include "search/path.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/tolerance.hpp"

namespace dpdtree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// What a tree costs whatever its complexity.
double fixed_cost(const Extracted& tree) { return tree.loss + tree.feature_cost; }

template <class Size>
void sort_by(std::vector<Extracted>& trees, Size size) {
  std::stable_sort(trees.begin(), trees.end(),
                   [&](const Extracted& a, const Extracted& b) {
                     const auto x = size(a), y = size(b);
                     return x != y ? x < y : fixed_cost(a) < fixed_cost(b);
                   });
}

double largest_cost(const std::vector<Extracted>& trees) {
  double largest = 0;
  for (const Extracted& tree : trees) largest = std::max(largest, fixed_cost(tree));
  return largest;
}

// The alpha at which both are worth the same.
double exchange_rate(const Extracted& small, const Extracted& large) {
  return (fixed_cost(small) - fixed_cost(large)) /
         (large.complexity - small.complexity);
}

PathPoint point_of(Extracted&& tree) {
  return {std::move(tree.tree), tree.loss, tree.complexity,
          tree.feature_cost,    kNone,     kNone};
}

}  // namespace

bool below_end(double cost, double end, double root_loss) {
  return cost < end - kRounding * std::max(end, root_loss);
}

std::vector<PathPoint> alpha_path(std::vector<Extracted> trees, double root_loss) {
  const double end = fixed_cost(trees.back());
  std::erase_if(trees, [&](const Extracted& t) {
    return below_end(fixed_cost(t), end, root_loss);
  });
  sort_by(trees, [](const Extracted& t) { return t.complexity; });
  const double tolerance = kRounding * largest_cost(trees);
  std::vector<Extracted> hull;
  for (Extracted& tree : trees) {
    if (!hull.empty() && fixed_cost(tree) >= fixed_cost(hull.back()) - tolerance)
      continue;
    while (!hull.empty() && tree.complexity <= hull.back().complexity * (1 + kRounding))
      hull.pop_back();
    while (hull.size() > 1 && exchange_rate(hull[hull.size() - 2], hull.back()) <=
                                  exchange_rate(hull.back(), tree) * (1 + kRounding))
      hull.pop_back();
    hull.push_back(std::move(tree));
  }
  std::vector<double> alphas{kInfinity};
  for (std::size_t i = 1; i < hull.size(); ++i)
    alphas.push_back(exchange_rate(hull[i - 1], hull[i]));
  alphas.push_back(0);
  std::vector<PathPoint> path;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    path.push_back(point_of(std::move(hull[i])));
    path.back().alpha_high = alphas[i];
    path.back().alpha_low = alphas[i + 1];
  }
  return path;
}

std::vector<PathPoint> leaf_path(std::vector<Extracted> trees) {
  sort_by(trees, [](const Extracted& t) { return t.tree.n_leaves(); });
  const double tolerance = kRounding * largest_cost(trees);
  std::vector<PathPoint> path;
  double least = kInfinity;
  for (Extracted& tree : trees) {
    if (fixed_cost(tree) >= least - tolerance) continue;
    least = fixed_cost(tree);
    path.push_back(point_of(std::move(tree)));
  }
  return path;
}

}  // namespace dpdtree
