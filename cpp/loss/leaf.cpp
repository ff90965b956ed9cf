#include "loss/leaf.hpp"

#include <utility>

#include "loss/registry.hpp"

namespace dpdtree {

std::vector<double> leaf_predictions(Criterion loss, const Targets& t,
                                     std::span<const Row> rows,
                                     std::span<const double> stats) {
  std::vector<double> out(t.n_outputs);
  for (u32 j = 0; j < t.n_outputs; ++j)
    out[j] = needs_rows(loss) ? pinball_of(loss, t).quantile(t, rows, j)
                              : stats[1 + j] / stats[0];
  return out;
}

RowCosts::RowCosts(Criterion loss, const Targets& targets,
                   std::span<const double> stats, std::vector<double> predictions)
    : info_(&loss_info(loss)), t_(targets), predictions_(std::move(predictions)) {
  if (!t_.classification()) return;
  per_class_.resize(stats.size());
  for (u32 j = 0; j < t_.n_outputs; ++j) {
    const u32 first = t_.first_class[j];
    info_->class_costs(t_, stats.subspan(first, t_.first_class[j + 1] - first),
                       per_class_.data() + first);
  }
}

double RowCosts::operator()(Row r) const {
  const std::size_t first = std::size_t{r} * t_.n_outputs;
  double cost = 0;
  for (u32 j = 0; j < t_.n_outputs; ++j)
    cost += t_.classification() ? per_class_[t_.label[first + j]]
                                : info_->row_cost(t_, t_.y[first + j], predictions_[j]);
  return cost;
}

}  // namespace dpdtree
