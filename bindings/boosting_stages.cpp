// Single stages of a boosted fit, for tests on hand-made input.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <numeric>
#include <optional>

#include "arrays.hpp"
#include "base/error.hpp"
#include "boosting_model.hpp"
#include "hist/binner.hpp"
#include "hist/gradients.hpp"
#include "hist/node_evaluator.hpp"
#include "register.hpp"
#include "simd/dispatch.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

using boosting::LossInput;
using boosting::Params;
using Vector = InVector<double>;

struct LossProblem {
  std::unique_ptr<boosting::Loss> loss;
  LossInput input;
};

// raw: [output][row].
LossProblem problem(const Params& params, u32 n_classes, const Vector& y,
                    const Vector& raw, const std::optional<Vector>& weights) {
  LossProblem p{boosting::make_loss(params.loss, {n_classes, params.quantile}), {}};
  p.input = {raw.data(), y.data(), weights ? weights->data() : nullptr, y.size()};
  if (raw.size() != y.size() * p.loss->n_outputs())
    throw InputError("raw must have one score per row and output");
  return p;
}

nb::tuple gradients(const Params& params, u32 n_classes, const Vector& y,
                    const Vector& raw) {
  const LossProblem p = problem(params, n_classes, y, raw, std::nullopt);
  std::vector<float> g(raw.size()), h(raw.size());
  p.loss->gradients(p.input, 0, y.size(), g.data(), h.data());
  return nb::make_tuple(to_numpy(std::move(g)), to_numpy(std::move(h)));
}

double loss_sum(const Params& params, u32 n_classes, const Vector& y, const Vector& raw,
                const std::optional<Vector>& weights) {
  const LossProblem p = problem(params, n_classes, y, raw, weights);
  return p.loss->sum(p.input, 0, y.size());
}

// The values that trees are grown on, in place of the exact ones.
nb::tuple quantized(const InVector<float>& gradient, const InVector<float>& hessian,
                    const std::optional<Vector>& weights) {
  const std::size_t n = gradient.size();
  std::vector<Row> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<boosting::RowGradient> out(n);
  ThreadPool pool(1);
  const boosting::Slopes slopes{
      {gradient.data(), n}, {hessian.data(), n}, weights ? weights->data() : nullptr};
  const boosting::Units units =
      boosting::units_for(boosting::largest_of(slopes, rows, pool), false);
  boosting::quantize(slopes, rows, units, out.data(), pool);
  std::vector<double> g(n), h(n);
  for (std::size_t i = 0; i < n; ++i) {
    g[i] = out[i].gradient * units.gradient;
    h[i] = out[i].hessian * units.hessian;
  }
  return nb::make_tuple(to_numpy(std::move(g)), to_numpy(std::move(h)));
}

// Of derivatives up to 1, without the rows.
nb::tuple units(std::size_t n_rows, std::optional<double> weight, bool wide) {
  const boosting::Units units =
      boosting::units_for({1, 1, weight.value_or(0), n_rows, weight.has_value()}, wide);
  return nb::make_tuple(units.gradient, units.hessian, units.count_bits);
}

OutArray<double> edges_of(const Vector& x, u32 max_bins) {
  return to_numpy(
      boosting::quantile_edges({x.data(), x.data() + x.size()}, {}, max_bins));
}

OutArray<double> exponentials(const Vector& x) {
  std::vector<double> out(x.size());
  kernels().gradient.exponentials(x.data(), x.size(), out.data());
  return to_numpy(std::move(out));
}

// The best split of each block of columns: (feature, cut, gain), or None. `tell`: a
// block is told what those before it have reached.
nb::list best_splits(const Params& params, const AnyMatrix& x,
                     const InVector<float>& gradient, const InVector<float>& hessian,
                     bool tell) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  const MatrixView view = view_of(x);
  const std::size_t n = view.rows;
  if (gradient.size() != n || hessian.size() != n)
    throw InputError("there must be a gradient and a hessian for each row");
  ThreadPool pool(1);
  StopToken stop(-1, {});
  const boosting::BinnedData data(
      view, boosting::fit_bins(view, nullptr, params, false, pool, stop), true, pool,
      stop);
  std::vector<Row> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<boosting::RowGradient> out(n);
  const boosting::Slopes slopes{{gradient.data(), n}, {hessian.data(), n}, nullptr};
  const boosting::Units units =
      boosting::units_for(boosting::largest_of(slopes, rows, pool), false);
  boosting::quantize(slopes, rows, units, out.data(), pool);
  const boosting::RowSet all{rows.data(), out.data(), n};
  boosting::GradientSum total;
  for (const boosting::RowGradient& g : out) total += {g.gradient, g.hessian, 1};
  const boosting::SplitFinder finder(data, params, units);
  const boosting::NodeContext root = finder.root(total, 0);
  std::vector<boosting::Bin> histogram(data.histogram_size());
  nb::list found;
  double reached = kNothing;
  for (const boosting::Block& block : data.blocks()) {
    boosting::fill_block(data, block, all, units, histogram.data());
    if (!tell) reached = kNothing;
    const auto split = finder.best_of_block(block, histogram.data(), root, reached);
    found.append(split.valid ? nb::object(nb::make_tuple(split.rule.feature,
                                                         split.rule.cut, split.gain))
                             : nb::none());
  }
  return found;
}

}  // namespace

void register_boosting_stages(nb::module_& m) {
  nb::module_ s = m.def_submodule("stages", "Single stages of a fit, for tests.");
  s.def("boosting_gradients", gradients, "params"_a, "n_classes"_a, "y"_a, "raw"_a);
  s.def("boosting_loss", loss_sum, "params"_a, "n_classes"_a, "y"_a, "raw"_a,
        "sample_weight"_a.none() = nb::none());
  s.def("boosting_quantized", quantized, "gradient"_a, "hessian"_a,
        "sample_weight"_a.none() = nb::none());
  s.def("boosting_units", units, "n_rows"_a, "weight"_a.none(), "wide"_a);
  s.def("boosting_edges", edges_of, "x"_a, "max_bins"_a);
  s.def("boosting_exponentials", exponentials, "x"_a);
  s.def("boosting_best_splits", best_splits, "params"_a, "X"_a, "gradient"_a,
        "hessian"_a, "tell"_a);
}

}  // namespace dpdtree::python
