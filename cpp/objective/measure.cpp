#include "objective/measure.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr std::array<std::pair<const char*, Measure>, 9> kNames{{
    {"zero_one", Measure::zero_one},
    {"gini", Measure::gini},
    {"entropy", Measure::entropy},
    {"log_loss", Measure::log_loss},
    {"cost_matrix", Measure::cost_matrix},
    {"squared_error", Measure::squared_error},
    {"poisson", Measure::poisson},
    {"absolute_error", Measure::absolute_error},
    {"quantile", Measure::quantile},
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

Measure measure_of(const std::string& name) {
  for (const auto& [known, measure] : kNames)
    if (name == known) return measure;
  throw InputError("unknown criterion or loss '" + name + "'");
}

double general_mass(Measure measure, const Targets& t, std::span<const Row> rows,
                    std::span<const double> stats) {
  if (needs_rows(measure)) return pinball_of(measure, t).mass(t, rows);
  switch (measure) {
    case Measure::cost_matrix:
      return CostMatrix::mass(stats, t.costs);
    case Measure::poisson:
      return Poisson::mass(stats, t.n_outputs);
    case Measure::squared_error:
      return SquaredError::mass(stats, t.n_outputs);
    default:
      return over_outputs(t, stats, [&](auto counts) { return mass(measure, counts); });
  }
}

double least_mass(Measure measure, const Targets& t, std::span<const double> stats,
                  u64 n_leaves) {
  if (measure == Measure::cost_matrix) return CostMatrix::least_mass(stats, t.costs);
  if (measure != Measure::zero_one) return 0;
  if (!t.general) return ZeroOne::least_mass(stats, n_leaves);
  return over_outputs(
      t, stats, [&](auto counts) { return ZeroOne::least_mass(counts, n_leaves); });
}

double unit_of(Measure measure, const Targets& t) {
  if (t.classification()) return 1;
  return measure == Measure::squared_error ? t.y_scale * t.y_scale : t.y_scale;
}

}  // namespace dpdtree
