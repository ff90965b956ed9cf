#include "prove/answer_costs.hpp"

#include <algorithm>

#include "loss/cost_matrix.hpp"

namespace dpdtree {
namespace {

// Each row of the matrix less its least entry; returns the largest of each row.
std::vector<double> subtract_least(std::vector<double>& costs, std::size_t k) {
  std::vector<double> largest(k);
  for (std::size_t i = 0; i < k; ++i) {
    const auto row = costs.begin() + static_cast<std::ptrdiff_t>(i * k);
    const auto end = row + static_cast<std::ptrdiff_t>(k);
    const double least = *std::min_element(row, end);
    std::for_each(row, end, [&](double& c) { c -= least; });
    largest[i] = *std::max_element(row, end);
  }
  return largest;
}

bool all_mistakes_cost_one(const std::vector<double>& costs, std::size_t k) {
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j)
      if (costs[i * k + j] != (i == j ? 0.0 : 1.0)) return false;
  return true;
}

}  // namespace

AnswerCosts count_excess_costs(const Targets& targets, bool by_row, ExactData& data) {
  const std::size_t k = data.n_classes;
  data.costs = targets.costs;
  const std::vector<double> largest = subtract_least(data.costs, k);
  const auto [low, high] = std::minmax_element(largest.begin(), largest.end());
  if (!by_row || *low <= 0) return {Criterion::cost_matrix, *high > 0 ? *high : 1.0};
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) data.costs[i * k + j] /= largest[i];
  std::vector<double> weight(data.label.size());
  for (u32 i = 0; i < weight.size(); ++i)
    weight[i] = data.weight_of(i) * largest[data.label[i]];
  if (*low < *high || *low != 1 || !data.weight.empty()) {
    data.weight = std::move(weight);
    data.whole_unit = 0;
  }
  if (!all_mistakes_cost_one(data.costs, k)) return {Criterion::cost_matrix, 1};
  data.costs.clear();
  return {Criterion::zero_one, 1};
}

double loss_of(Criterion loss, const ExactData& data, std::span<const double> stats) {
  if (loss == Criterion::cost_matrix)
    return CostMatrix::impurity_sum(stats, data.costs);
  return impurity_sum(loss, stats);
}

}  // namespace dpdtree
