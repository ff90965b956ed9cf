// Boosted fits on rows that are elsewhere: partitions that answer, a session that asks.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "api/fit_remote_boosting.hpp"
#include "base/error.hpp"
#include "blocks.hpp"
#include "boost/boosting_partition.hpp"
#include "boosting_model.hpp"
#include "interrupt.hpp"
#include "register.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

using boosting::BoostingPartition;
using boosting::Params;
using boosting::Sample;
using Vector = InVector<double>;
using OptionalVector = std::optional<Vector>;

Sample coded(BoostingCodes& codes, const Vector& y, const OptionalVector& weights) {
  Sample s{{}, {y.data(), y.size()}, nullptr, &codes.data};
  s.x.rows = codes.data.n_rows();
  s.x.cols = codes.data.n_features();
  if (y.size() != s.x.rows || (weights && weights->size() != s.x.rows))
    throw InputError("there must be a target and a weight for each row");
  if (weights) s.weights = weights->data();
  return s;
}

// From codes, which cannot be used again.
void make_partition(BoostingPartition* self, BoostingCodes& codes, const Vector& y,
                    const OptionalVector& weights, std::size_t first_row, u32 n_classes,
                    const Params& params, BoostingCodes* codes_val,
                    const OptionalVector& y_val, const OptionalVector& weights_val) {
  Sample train = coded(codes, y, weights);
  train.first_row = first_row;
  std::optional<Sample> validation;
  if (codes_val != nullptr) validation = coded(*codes_val, y_val.value(), weights_val);
  new (self)
      BoostingPartition(train, validation ? &*validation : nullptr, n_classes, params);
}

nb::bytes answer(BoostingPartition& self, const nb::bytes& request) {
  const std::string_view asked(request.c_str(), request.size());
  const std::string found = without_gil([&] { return self.answer(asked); });
  return nb::bytes(found.data(), found.size());
}

nb::bytes merge_answers(const std::vector<nb::bytes>& answers) {
  std::vector<std::string_view> views;
  for (const nb::bytes& one : answers) views.emplace_back(one.c_str(), one.size());
  const std::string total = without_gil([&] { return boosting::merged(views); });
  return nb::bytes(total.data(), total.size());
}

nb::object optional_vector(const double* values, std::size_t n) {
  if (values == nullptr) return nb::none();
  return nb::cast(to_numpy(std::vector<double>(values, values + n)));
}

// Codes, targets and weights of the rows for training, or for validation.
nb::object contents(const BoostingPartition& self, bool validation) {
  const boosting::LocalRows& rows = self.rows();
  const boosting::BinnedData* data = validation ? rows.validation_data() : &rows.data();
  if (data == nullptr) return nb::none();
  const boosting::LossInput in =
      validation ? rows.validation_input() : rows.training_input();
  std::vector<double> y(in.y, in.y + in.n_rows);
  return nb::make_tuple(
      nb::cast(to_matrix(data->row_major(), data->n_rows(), data->n_features())),
      nb::cast(to_numpy(std::move(y))), optional_vector(in.weight, in.n_rows));
}

void make_session(RemoteBoostingSession* self,
                  const std::vector<InVector<double>>& edges,
                  const std::vector<u32>& n_categories, u32 n_classes,
                  const Params& params, nb::object ask) {
  std::vector<std::vector<double>> limits;
  for (const auto& e : edges) limits.push_back(copied(e));
  boosting::BinnedData layout(0, boosting::known_bins(limits, n_categories), nullptr);
  new (self) RemoteBoostingSession(n_classes, params, std::move(layout),
                                   [ask = std::move(ask)](const std::string& request) {
                                     return bytes_from(ask, request);
                                   });
}

std::size_t run(RemoteBoostingSession& self, std::size_t n,
                const nb::object& callback) {
  BoostingSession::Progress progress;
  if (!callback.is_none())
    progress = [&callback](std::size_t done) { return wants_more(callback, done); };
  return without_gil([&] { return self.run(n, progress, interrupted); });
}

nb::bytes with_history(const RemoteBoostingSession& self, const nb::bytes& request) {
  const std::string all =
      self.booster().rows().with_history({request.c_str(), request.size()});
  return nb::bytes(all.data(), all.size());
}

}  // namespace

void register_remote_boosting(nb::module_& m) {
  m.def("merge_answers", merge_answers, "answers"_a,
        "The answer of several partitions to one request.");
  nb::class_<BoostingPartition>(m, "BoostingPartition",
                                "Some rows of a boosted fit: requests in, answers out.")
      .def("__init__", make_partition, "codes"_a, "y"_a, "sample_weight"_a.none(),
           "first_row"_a, "n_classes"_a, "params"_a, "codes_val"_a.none() = nb::none(),
           "y_val"_a.none() = nb::none(), "sample_weight_val"_a.none() = nb::none())
      .def("answer", answer, "request"_a,
           "Empty if it has to be asked again, with the history of the fit.")
      .def("contents", contents, "validation"_a);
  nb::class_<RemoteBoostingSession>(m, "RemoteBoostingSession",
                                    "A boosted fit on rows that are elsewhere.")
      .def("__init__", make_session, "edges"_a, "n_categories"_a, "n_classes"_a,
           "params"_a, "ask"_a)
      .def("begin", [](RemoteBoostingSession& s) { without_gil([&] { s.begin(); }); })
      .def("run", run, "n_iterations"_a, "callback"_a = nb::none())
      .def(
          "noise_share",
          [](RemoteBoostingSession& s, double n_rows) {
            return without_gil([&] { return s.noise_share(n_rows, interrupted); });
          },
          "n_rows"_a)
      .def("set_pace", &RemoteBoostingSession::set_pace, "learning_rate"_a,
           "max_leaf_nodes"_a)
      .def("with_history", with_history, "request"_a)
      .def("train_loss", [](RemoteBoostingSession& s) { return s.train_loss(); })
      .def("val_loss",
           [](const RemoteBoostingSession& s) { return s.booster().validation_loss(); })
      .def_prop_ro("n_iterations",
                   [](const RemoteBoostingSession& s) {
                     return s.booster().model().n_iterations();
                   })
      .def_prop_ro(
          "model",
          [](const RemoteBoostingSession& s) { return Model(s.booster().model()); },
          nb::rv_policy::move)
      .def_prop_ro(
          "latest",
          [](const RemoteBoostingSession& s) { return Model(s.booster().latest()); },
          nb::rv_policy::move)
      .def_prop_ro("stop_reason", &RemoteBoostingSession::stop_reason);
}

}  // namespace dpdtree::python
