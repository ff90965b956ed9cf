#include "search/description_price.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/tolerance.hpp"
#include "loss/registry.hpp"
#include "search/greedy_tree.hpp"

namespace dpdtree {
namespace {

// What one wrong answer costs more than the best, for rows and answers at random.
double mean_mistake(const Search& s) {
  const Targets& t = s.set.targets;
  const std::size_t k = t.n_classes;
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const auto row = std::span(t.costs).subspan(i * k, k);
    const double least = *std::min_element(row.begin(), row.end());
    sum += s.root.stats[i] * (std::accumulate(row.begin(), row.end(), 0.0) -
                              static_cast<double>(k) * least);
  }
  return k > 1 ? sum / s.root.weight / static_cast<double>(k - 1) : 0;
}

// The mean loss of a row and output in a tree, one degree of freedom less per leaf; n:
// how many rows there are.
double noise(const Search& s, Criterion loss, const GreedyGrower& grower, double n) {
  double residual = 0, leaves = 0;
  for (const GreedyNode& node : grower.nodes()) {
    if (node.left >= 0) continue;
    residual += impurity_sum(loss, s.set.targets, node.view.rows, node.view.stats) +
                excess_of_bounds(loss, node.view);
    ++leaves;
  }
  if (n - leaves <= kRounding * n) return 0;  // n may be a rounded ratio of weights
  const double weight = grower.nodes()[0].view.weight;
  return residual / weight / s.set.targets.n_outputs * (n / (n - leaves));
}

}  // namespace

bool asks_for_noise(Criterion loss) {
  const MdlRule rule = loss_info(loss).mdl;
  return rule == MdlRule::noise || rule == MdlRule::twice_noise;
}

double row_weight(const Search& s) {
  const Targets& t = s.set.targets;
  if (t.weights_count) return 1 / t.weight_scale;
  return s.root.weight / static_cast<double>(s.parts->root.n());
}

double price_per_nat(const Search& s, Criterion loss) {
  if (asks_for_noise(loss)) return price_per_nat(s, loss, grow_greedy(s));
  return price_per_nat(s, loss, GreedyGrower(s.context()));
}

double price_per_nat(const Search& s, Criterion loss, const GreedyGrower& grower) {
  const double row = row_weight(s);
  const auto spread = [&] {
    return row * noise(s, loss, grower, grower.nodes()[0].view.weight / row);
  };
  switch (loss_info(loss).mdl) {
    case MdlRule::half_row:
      return row / 2;
    case MdlRule::row:
      return row;
    case MdlRule::half_mistake:
      return row / 2 * mean_mistake(s);
    case MdlRule::noise:
      return spread();
    case MdlRule::twice_noise:
      return 2 * spread();
  }
  return row;
}

double typical_price(const Search& s, const Cost& objective) {
  std::optional<double>& known = s.parts->typical_price;
  if (known) return *known;
  const std::size_t n = s.problem.columns.size();
  double sum = 0;
  Split split;
  for (split.feature = 0; split.feature < n; ++split.feature)
    sum += objective.price(s.context(), s.parts->root, split);
  known = n == 0 ? 0 : sum / static_cast<double>(n);
  return *known;
}

}  // namespace dpdtree
