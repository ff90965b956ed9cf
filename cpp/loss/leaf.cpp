#include "loss/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
    : loss_(loss), t_(targets), predictions_(std::move(predictions)) {
  if (!t_.classification()) return;
  per_class_.resize(stats.size());
  for (u32 j = 0; j < t_.n_outputs; ++j) {
    const u32 first = t_.first_class[j];
    set_class_costs(stats.subspan(first, t_.first_class[j + 1] - first),
                    per_class_.data() + first);
  }
}

// The loss of a row of each class.
void RowCosts::set_class_costs(std::span<const double> counts, double* costs) const {
  const std::size_t k_max = counts.size();
  if (loss_ == Criterion::cost_matrix) {
    const std::size_t said = CostMatrix::decision(counts, t_.costs);
    for (std::size_t k = 0; k < k_max; ++k) costs[k] = t_.costs[k * k_max + said];
    return;
  }
  if (loss_ == Criterion::zero_one) {
    std::fill(costs, costs + k_max, 1.0);
    costs[std::max_element(counts.begin(), counts.end()) - counts.begin()] = 0;
    return;
  }
  double total = 0, squares = 0;
  for (const double c : counts) total += c;
  for (const double c : counts) squares += (c / total) * (c / total);
  for (std::size_t k = 0; k < k_max; ++k)
    costs[k] = loss_ == Criterion::log_loss
                   ? -std::log((counts[k] + 1e-3) / (total + 1e-3))
                   : 1 - 2 * counts[k] / total + squares;
}

double RowCosts::operator()(Row r) const {
  const std::size_t first = std::size_t{r} * t_.n_outputs;
  double cost = 0;
  for (u32 j = 0; j < t_.n_outputs; ++j) {
    if (t_.classification()) {
      cost += per_class_[t_.label[first + j]];
      continue;
    }
    const double y = t_.y[first + j], prediction = predictions_[j];
    if (needs_rows(loss_))
      cost += pinball_of(loss_, t_).of(y, prediction);
    else if (loss_ == Criterion::poisson)
      cost += Poisson::of(y, prediction);
    else
      cost += (y - prediction) * (y - prediction);
  }
  return cost;
}

}  // namespace dpdtree
