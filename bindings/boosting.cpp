#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "api/fit_boosting.hpp"
#include "arrays.hpp"
#include "base/error.hpp"
#include "blocks.hpp"
#include "boosting_model.hpp"
#include "interrupt.hpp"
#include "register.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

using boosting::Params;
using boosting::Sample;
using Vector = InVector<double>;
using OptionalVector = std::optional<Vector>;
using OptionalMatrix = std::optional<AnyMatrix>;
using Scores = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OptionalScores = std::optional<Scores>;

Sample sample(const AnyMatrix& x, const Vector& y, const OptionalVector& weights,
              const OptionalScores& init, const char* name) {
  Sample s{view_of(x), {y.data(), y.size()}, nullptr, {}};
  if (init) s.init = {init->data(), init->size()};
  if (weights) {
    if (weights->size() != s.x.rows)
      throw InputError(std::string(name) + " has " + std::to_string(weights->size()) +
                       " entries for " + std::to_string(s.x.rows) + " rows");
    s.weights = weights->data();
  }
  return s;
}

void make_session(BoostingSession* self, const AnyMatrix& x, const Vector& y,
                  const OptionalVector& weights, u32 n_classes, const Params& params,
                  const OptionalMatrix& x_val, const OptionalVector& y_val,
                  const OptionalVector& weights_val, const Model* model,
                  const BoostingSession* like, const OptionalScores& init,
                  const OptionalScores& init_val) {
  const Sample train = sample(x, y, weights, init, "sample_weight");
  std::optional<Sample> validation;
  if (x_val.has_value() != y_val.has_value())
    throw InputError("X_val and y_val must be given together");
  if (x_val)
    validation = sample(*x_val, *y_val, weights_val, init_val, "sample_weight_val");
  without_gil([&] {
    new (self)
        BoostingSession(train, validation ? &*validation : nullptr, n_classes, params,
                        model ? &model->forest() : nullptr, like, interrupted);
  });
}

Sample coded_sample(BoostingCodes& codes, const Vector& y,
                    const OptionalVector& weights) {
  Sample s{{}, {y.data(), y.size()}, nullptr, &codes.data};
  s.x.rows = codes.data.n_rows();
  s.x.cols = codes.data.n_features();
  if (weights && weights->size() != s.x.rows)
    throw InputError("there must be a weight for each row");
  if (weights) s.weights = weights->data();
  return s;
}

// From codes, which cannot be used again.
void make_coded_session(BoostingSession* self, BoostingCodes& codes, const Vector& y,
                        const OptionalVector& weights, u32 n_classes,
                        const Params& params, BoostingCodes* codes_val,
                        const OptionalVector& y_val,
                        const OptionalVector& weights_val) {
  const Sample train = coded_sample(codes, y, weights);
  std::optional<Sample> validation;
  if ((codes_val != nullptr) != y_val.has_value())
    throw InputError("X_val and y_val must be given together");
  if (codes_val != nullptr) validation = coded_sample(*codes_val, *y_val, weights_val);
  without_gil([&] {
    new (self) BoostingSession(train, validation ? &*validation : nullptr, n_classes,
                               params, nullptr, nullptr, interrupted);
  });
}

BoostingSession::Progress progress_of(const nb::object& callback) {
  if (callback.is_none()) return {};
  return [&callback](std::size_t done) { return wants_more(callback, done); };
}

std::size_t run(BoostingSession& self, std::size_t n, const nb::object& callback) {
  const BoostingSession::Progress progress = progress_of(callback);
  return without_gil([&] { return self.run(n, progress, interrupted); });
}

std::size_t run_together(const std::vector<BoostingSession*>& sessions, std::size_t n,
                         const nb::object& callback) {
  const BoostingSession::Progress progress = progress_of(callback);
  return without_gil([&] {
    return BoostingSession::run_together(sessions, n, progress, interrupted);
  });
}

using Derivatives = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

bool step(BoostingSession& self, const std::optional<Derivatives>& gradient,
          const std::optional<Derivatives>& hessian) {
  if (gradient.has_value() != hessian.has_value())
    throw InputError("gradient and hessian must be given together");
  if (!gradient) return run(self, 1, nb::none()) == 1;
  const std::span<const double> g(gradient->data(), gradient->size());
  const std::span<const double> h(hessian->data(), hessian->size());
  return without_gil([&] { return self.step(g, h, interrupted); });
}

// [output][row] → an array of shape (rows, outputs).
OutArray<double, 2> scores(const std::vector<double>& raw, std::size_t n_rows) {
  const std::size_t k = n_rows > 0 ? raw.size() / n_rows : 1;
  std::vector<double> out(raw.size());
  for (std::size_t i = 0; i < n_rows; ++i)
    for (std::size_t j = 0; j < k; ++j) out[i * k + j] = raw[j * n_rows + i];
  return to_matrix(std::move(out), n_rows, k);
}

nb::object validation_scores(const BoostingSession& s) {
  if (!s.has_validation()) return nb::none();
  return nb::cast(scores(s.booster().rows().validation_scores(),
                         s.booster().rows().n_validation_rows()));
}

double loss_of(const BoostingSession& s, const Vector& y, const Scores& raw,
               const OptionalVector& weights) {
  const std::size_t n = y.size(), k = raw.shape(1);
  const bool fits = raw.shape(0) == n && k == s.booster().model().n_outputs;
  if (!fits || (weights && weights->size() != n))
    throw InputError("targets, scores and weights must have one entry per row");
  std::vector<double> by_output(raw.size());
  for (std::size_t i = 0; i < by_output.size(); ++i)
    by_output[i] = raw.data()[(i % n) * k + i / n];
  return s.booster().loss_of(
      {by_output.data(), y.data(), weights ? weights->data() : nullptr, n});
}

double validation_loss(const BoostingSession& s) {
  if (!s.has_validation()) throw InputError("the session has no validation data");
  return s.booster().validation_loss();
}

nb::list edges_of(const BoostingSession& s) {
  nb::list out;
  for (auto& e : s.booster().edges()) out.append(to_numpy(std::move(e)));
  return out;
}

void register_boosting_params(nb::module_& m) {
  nb::class_<Params>(m, "BoostingParams", "Checked parameters of a boosted fit.")
      .def(nb::init<>())
      .def_rw("loss", &Params::loss)
      .def_rw("quantile", &Params::quantile)
      .def_rw("newton", &Params::newton)
      .def_rw("learning_rate", &Params::learning_rate)
      .def_prop_rw(
          "lookahead",
          [](const Params& p) { return std::string(name_of(p.lookahead)); },
          [](Params& p, const std::string& name) {
            p.lookahead = boosting::lookahead_named(name);
          })
      .def_rw("n_candidates", &Params::n_candidates)
      .def_rw("max_leaf_nodes", &Params::max_leaf_nodes)
      .def_rw("max_depth", &Params::max_depth)
      .def_rw("min_samples_leaf", &Params::min_samples_leaf)
      .def_rw("min_child_weight", &Params::min_child_weight)
      .def_rw("l2_regularization", &Params::l2_regularization)
      .def_rw("reg_alpha", &Params::reg_alpha)
      .def_rw("gamma", &Params::gamma)
      .def_rw("subsample", &Params::subsample)
      .def_rw("max_features", &Params::max_features)
      .def_rw("max_bins", &Params::max_bins)
      .def_rw("monotonic_cst", &Params::monotonic_cst)
      .def_rw("interaction_cst", &Params::interaction_cst)
      .def_rw("categorical", &Params::categorical)
      .def_rw("most_packed_rows", &Params::most_packed_rows)
      .def_rw("seed", &Params::seed)
      .def_rw("n_threads", &Params::n_threads)
      .def_rw("time_limit", &Params::time_limit);
}

}  // namespace

void register_boosting(nb::module_& m) {
  register_boosting_params(m);
  register_boosting_model(m);
  nb::class_<BoostingSession>(m, "BoostingSession", "A boosted fit in progress.")
      .def("__init__", make_session, "X"_a, "y"_a, "sample_weight"_a.none(),
           "n_classes"_a, "params"_a, "X_val"_a.none() = nb::none(),
           "y_val"_a.none() = nb::none(), "sample_weight_val"_a.none() = nb::none(),
           "model"_a.none() = nb::none(), "like"_a.none() = nb::none(),
           "init_score"_a.none() = nb::none(), "init_score_val"_a.none() = nb::none())
      .def("__init__", make_coded_session, "codes"_a, "y"_a, "sample_weight"_a.none(),
           "n_classes"_a, "params"_a, "codes_val"_a.none() = nb::none(),
           "y_val"_a.none() = nb::none(), "sample_weight_val"_a.none() = nb::none(),
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 7>())
      .def("run", run, "n_iterations"_a, "callback"_a = nb::none())
      .def_static("run_together", run_together, "sessions"_a, "n_iterations"_a,
                  "callback"_a = nb::none())
      .def("step", step, "gradient"_a.none() = nb::none(),
           "hessian"_a.none() = nb::none())
      .def(
          "noise_share",
          [](BoostingSession& s, double n_rows) {
            return without_gil([&] { return s.noise_share(n_rows, interrupted); });
          },
          "n_rows"_a)
      .def("set_pace", &BoostingSession::set_pace, "learning_rate"_a,
           "max_leaf_nodes"_a)
      .def("train_loss", [](BoostingSession& s) { return s.train_loss(); })
      .def("val_loss", validation_loss)
      .def("loss_of", loss_of, "y"_a, "raw"_a, "sample_weight"_a.none())
      .def_prop_ro(
          "n_iterations",
          [](const BoostingSession& s) { return s.booster().model().n_iterations(); })
      .def_prop_ro(
          "n_outputs",
          [](const BoostingSession& s) { return s.booster().model().n_outputs; })
      .def_prop_ro(
          "raw_train",
          [](const BoostingSession& s) {
            return scores(s.booster().rows().training_scores(),
                          s.booster().rows().n_rows());
          },
          nb::rv_policy::move)
      .def_prop_ro("raw_val", validation_scores)
      .def_prop_ro(
          "baseline",
          [](const BoostingSession& s) {
            return to_numpy(std::vector<double>(s.booster().model().baseline));
          },
          nb::rv_policy::move)
      .def_prop_ro("edges", edges_of)
      .def_prop_ro(
          "model", [](const BoostingSession& s) { return Model(s.booster().model()); },
          nb::rv_policy::move)
      .def_prop_ro(
          "latest",
          [](const BoostingSession& s) { return Model(s.booster().latest()); },
          nb::rv_policy::move)
      .def_prop_ro("stop_reason", &BoostingSession::stop_reason);
}

}  // namespace dpdtree::python
