#include "loss/cost_matrix.hpp"

#include "loss/registry.hpp"

namespace dpdtree {
namespace {

double impurity(const Targets& t, std::span<const Row>, std::span<const double> stats) {
  return CostMatrix::impurity_sum(stats, t.costs);
}

double least(const Targets& t, std::span<const double> stats, u64) {
  return CostMatrix::least_impurity(stats, t.costs);
}

void class_costs(const Targets& t, std::span<const double> counts, double* costs) {
  const std::size_t n = counts.size();
  const std::size_t said = CostMatrix::decision(counts, t.costs);
  for (std::size_t k = 0; k < n; ++k) costs[k] = t.costs[k * n + said];
}

}  // namespace

LossInfo cost_matrix_info() {
  LossInfo info;
  info.task = Task::classification;
  info.mdl = MdlRule::half_mistake;
  info.minimised_by_trees = true;
  info.provable = true;
  info.label = "mean cost of the training rows";
  info.scorer = "mean_cost";
  info.impurity = impurity;
  info.least = least;
  info.class_costs = class_costs;
  return info;
}

}  // namespace dpdtree
