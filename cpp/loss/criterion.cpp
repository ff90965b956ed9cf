#include "loss/criterion.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr std::array<std::pair<const char*, Criterion>, 9> kNames{{
    {"zero_one", Criterion::zero_one},
    {"gini", Criterion::gini},
    {"entropy", Criterion::entropy},
    {"log_loss", Criterion::log_loss},
    {"cost_matrix", Criterion::cost_matrix},
    {"squared_error", Criterion::squared_error},
    {"poisson", Criterion::poisson},
    {"absolute_error", Criterion::absolute_error},
    {"quantile", Criterion::quantile},
}};

// The sum of `of` over the class weights of each output.
template <class Of>
double over_outputs(const Targets& t, std::span<const double> stats, Of of) {
  double sum = 0;
  for (u32 j = 0; j < t.n_outputs; ++j)
    sum += of(stats.subspan(t.first_class[j], t.first_class[j + 1] - t.first_class[j]));
  return sum;
}

}  // namespace

Criterion criterion_of(const std::string& name) {
  for (const auto& [known, criterion] : kNames)
    if (name == known) return criterion;
  throw InputError("unknown criterion or loss '" + name + "'");
}

double general_impurity(Criterion criterion, const Targets& t,
                        std::span<const Row> rows, std::span<const double> stats) {
  if (needs_rows(criterion)) return pinball_of(criterion, t).impurity_sum(t, rows);
  switch (criterion) {
    case Criterion::cost_matrix:
      return CostMatrix::impurity_sum(stats, t.costs);
    case Criterion::poisson:
      return Poisson::impurity_sum(stats, t.n_outputs);
    case Criterion::squared_error:
      return SquaredError::impurity_sum(stats, t.n_outputs);
    default:
      return over_outputs(t, stats,
                          [&](auto counts) { return impurity_sum(criterion, counts); });
  }
}

double least_impurity(Criterion criterion, const Targets& t,
                      std::span<const double> stats, u64 n_leaves) {
  if (criterion == Criterion::cost_matrix)
    return CostMatrix::least_impurity(stats, t.costs);
  if (criterion != Criterion::zero_one) return 0;
  if (!t.general) return ZeroOne::least_impurity(stats, n_leaves);
  return over_outputs(
      t, stats, [&](auto counts) { return ZeroOne::least_impurity(counts, n_leaves); });
}

double unit_of(Criterion criterion, const Targets& t) {
  if (t.classification()) return 1;
  return criterion == Criterion::squared_error ? t.y_scale * t.y_scale : t.y_scale;
}

}  // namespace dpdtree
