#include "loss/gini.hpp"

#include "loss/registry.hpp"

namespace dpdtree {
namespace {

double excess(double sum, double weight, double told) {
  const double mean = sum / weight;
  return 2 * weight * (mean - told) * (mean - told);
}

void class_costs(const Targets&, std::span<const double> counts, double* costs) {
  double total = 0, squares = 0;
  for (const double c : counts) total += c;
  for (const double c : counts) squares += (c / total) * (c / total);
  for (std::size_t k = 0; k < counts.size(); ++k)
    costs[k] = 1 - 2 * counts[k] / total + squares;
}

}  // namespace

LossInfo gini_info() {
  LossInfo info;
  info.task = Task::classification;
  info.mdl = MdlRule::half_row;
  info.proposes_splits = true;
  info.minimised_by_trees = true;
  info.label = "mean Gini impurity of the training rows";
  info.simple = Gini::impurity_sum;
  info.impurity = over_outputs<Gini::impurity_sum>;
  info.excess = excess;
  info.class_costs = class_costs;
  return info;
}

}  // namespace dpdtree
