// Single stages of what the training rows choose themselves, for tests.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "base/gamma_quantile.hpp"
#include "register.hpp"
#include "search/folds.hpp"
#include "search/held_out.hpp"
#include "search/noise_gate.hpp"
#include "training_data.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

using RowWeights = std::vector<double>;

RowWeights weights_of(const RowBuffer& rows, const TrainingData& data) {
  RowWeights out(data.x.rows, 0);
  for (const Row r : rows) out[r] = data.weights == nullptr ? 1 : data.weights[r];
  return out;
}

// The weights of all rows on both sides of each fold.
std::vector<std::pair<RowWeights, RowWeights>> folds(
    const AnyMatrix& x, const nb::object& y, const Weights& weights,
    const ClassCounts& n_classes, const TreeParams& params, u32 n_folds) {
  StopToken stop{-1, {}};
  ThreadPool pool{params.n_threads};
  const TrainingData data = training_data(x, y, weights, n_classes);
  const auto search = prepare(data, params, stop, pool);
  std::vector<std::pair<RowWeights, RowWeights>> out;
  for (const Fold& fold : make_folds(*search, data, n_folds)) {
    if (fold.train_weight.empty())
      out.emplace_back(weights_of(fold.train, data), weights_of(fold.test, data));
    else
      out.emplace_back(fold.train_weight, fold.test_weight);
  }
  return out;
}

// Of each scale and, within it, of each strength.
std::vector<double> held_out_losses(const AnyMatrix& x, const nb::object& y,
                                    const Weights& weights,
                                    const ClassCounts& n_classes,
                                    const TreeParams& params,
                                    const std::vector<double>& scales,
                                    const std::vector<double>& strengths) {
  StopToken stop{-1, {}};
  ThreadPool pool{params.n_threads};
  const TrainingData data = training_data(x, y, weights, n_classes);
  const auto search = prepare(data, params, stop, pool);
  const TuningGrid grid{scales, strengths};
  std::vector<double> sums(grid.size(), 0.0);
  for (const Fold& fold : make_folds(*search, data, 5))
    add_held_out_losses(*search, search->set.targets, fold, grid, sums);
  return sums;
}

}  // namespace

void register_tuning_stages(nb::module_& m) {
  nb::module_ s = nb::borrow<nb::module_>(m.attr("stages"));
  s.def("gamma_quantile", &gamma_quantile, "degrees"_a, "log_level"_a);
  s.def("folds", &folds, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "n_folds"_a);
  s.def("held_out_losses", &held_out_losses, "X"_a, "y"_a, "sample_weight"_a.none(),
        "n_classes"_a, "params"_a, "scales"_a, "strengths"_a);
}

}  // namespace dpdtree::python
