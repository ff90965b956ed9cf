#include "loss/zero_one.hpp"

#include "loss/registry.hpp"

namespace dpdtree {
namespace {

double least(const Targets& t, std::span<const double> stats, u64 n_leaves) {
  if (!t.general) return ZeroOne::least_impurity(stats, n_leaves);
  double sum = 0;
  for (u32 j = 0; j < t.n_outputs; ++j)
    sum += ZeroOne::least_impurity(
        stats.subspan(t.first_class[j], t.first_class[j + 1] - t.first_class[j]),
        n_leaves);
  return sum;
}

double excess(double sum, double weight, double told) {
  const double lead = 2 * sum - weight;  // of class 1
  return told > 0.5 ? std::max(0.0, -lead) : std::max(0.0, lead);
}

void class_costs(const Targets&, std::span<const double> counts, double* costs) {
  std::fill(costs, costs + counts.size(), 1.0);
  costs[std::max_element(counts.begin(), counts.end()) - counts.begin()] = 0;
}

}  // namespace

LossInfo zero_one_info() {
  LossInfo info;
  info.task = Task::classification;
  info.mdl = MdlRule::half_row;
  info.minimised_by_trees = true;
  info.provable = true;
  info.label = "training error";
  info.simple = ZeroOne::impurity_sum;
  info.impurity = over_outputs<ZeroOne::impurity_sum>;
  info.least = least;
  info.excess = excess;
  info.class_costs = class_costs;
  return info;
}

}  // namespace dpdtree
