#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "blocks.hpp"
#include "interrupt.hpp"
#include "register.hpp"
#include "training_data.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

std::optional<EncodedColumns> encode(const AnyMatrix& x, const Weights& weights,
                                     const TreeParams& params) {
  TrainingData data;
  data.x = view_of(x);
  if (weights) {
    check_length("sample_weight", weights->shape(0), data.x.rows);
    data.weights = weights->data();
  }
  FitHooks hooks;
  hooks.interrupt = [](const Heartbeat&) { return interrupted(); };
  auto columns = without_gil([&] { return encode_columns(data, params, hooks); });
  if (columns.empty()) return std::nullopt;
  return EncodedColumns{std::move(columns), x};
}

// heartbeat(seconds, stage, share of it that is done) is called every 20 ms or so.
std::function<bool(const Heartbeat&)> interrupt_of(const nb::object& heartbeat) {
  return [&heartbeat](const Heartbeat& h) {
    return interrupted_while(heartbeat, h.seconds, h.stage, h.share);
  };
}

// progress(seconds, objective, lower_bound) is called while a proof goes on; False ends
// the search with what it has, an exception ends the fit.
FitResult fit(const AnyMatrix& x, const nb::object& y, const Weights& weights,
              const ClassCounts& n_classes, const TreeParams& params,
              const nb::object& progress, const EncodedColumns* encoded,
              const nb::object& heartbeat) {
  TrainingData data = training_data(x, y, weights, n_classes);
  take_encoded(data, encoded);
  FitHooks hooks;
  hooks.interrupt = interrupt_of(heartbeat);
  if (!progress.is_none())
    hooks.progress = [&progress](const TracePoint& p) {
      return wants_more(progress, p.seconds, p.objective, p.lower_bound);
    };
  return without_gil([&] { return fit_tree(data, params, hooks); });
}

FrontKind kind_of(const std::string& name) {
  if (name == "alpha") return FrontKind::alpha;
  if (name == "leaves") return FrontKind::leaves;
  throw InputError("unknown kind of path '" + name + "'");
}

PathResult path(const AnyMatrix& x, const nb::object& y, const Weights& weights,
                const ClassCounts& n_classes, const TreeParams& params,
                const std::string& kind, const EncodedColumns* encoded,
                const nb::object& heartbeat) {
  TrainingData data = training_data(x, y, weights, n_classes);
  take_encoded(data, encoded);
  const FrontKind wanted = kind_of(kind);
  FitHooks hooks;
  hooks.interrupt = interrupt_of(heartbeat);
  return without_gil([&] { return fit_path(data, params, wanted, hooks); });
}

std::vector<std::tuple<double, double, double>> trace_of(const FitResult& r) {
  std::vector<std::tuple<double, double, double>> out;
  for (const TracePoint& p : r.trace)
    out.emplace_back(p.seconds, p.objective, p.lower_bound);
  return out;
}

}  // namespace

void register_fit(nb::module_& m) {
  nb::class_<SearchReport>(m, "SearchReport", "How a search went.")
      .def_prop_ro("states", [](const SearchReport& r) { return r.counters.states; })
      .def_prop_ro("candidates",
                   [](const SearchReport& r) { return r.counters.candidates; })
      .def_prop_ro("splits_searched",
                   [](const SearchReport& r) { return r.counters.splits_searched; })
      .def_prop_ro("split_memo_hits",
                   [](const SearchReport& r) { return r.counters.split_memo_hits; })
      .def_prop_ro("state_memo_hits",
                   [](const SearchReport& r) { return r.counters.state_memo_hits; })
      .def_prop_ro("pruned", [](const SearchReport& r) { return r.counters.pruned; })
      .def_ro("seconds_encode", &SearchReport::seconds_encode)
      .def_ro("seconds_solve", &SearchReport::seconds_solve)
      .def_ro("stop_reason", &SearchReport::stop_reason)
      .def_ro("features_with_missing", &SearchReport::features_with_missing);

  nb::class_<FitResult, SearchReport>(m, "FitResult",
                                      "A fitted tree and how it was found.")
      .def_prop_ro("tree", [](const FitResult& r) { return r.tree; })
      .def_ro("loss", &FitResult::loss)
      .def_ro("complexity", &FitResult::complexity)
      .def_ro("feature_cost", &FitResult::feature_cost)
      .def_ro("objective", &FitResult::objective)
      .def_ro("lower_bound", &FitResult::lower_bound)
      .def_ro("is_optimal", &FitResult::is_optimal)
      .def_prop_ro("price_scale",
                   [](const FitResult& r) { return r.tuned.price_scale; })
      .def_prop_ro("shrinkage", [](const FitResult& r) { return r.tuned.shrinkage; })
      .def_prop_ro("trace", trace_of);

  nb::class_<EncodedColumns>(m, "EncodedColumns",
                             "X, encoded once for fits with different weights.");
  m.def("encode_columns", &encode, "X"_a, "sample_weight"_a.none(), "params"_a,
        "Encode X; bins are those of these weights. None if the time was up.");

  nb::class_<PathPoint>(m, "PathPoint", "A tree of a path and where it is the best.")
      .def_prop_ro("tree", [](const PathPoint& p) { return p.tree; })
      .def_ro("loss", &PathPoint::loss)
      .def_ro("complexity", &PathPoint::complexity)
      .def_ro("feature_cost", &PathPoint::feature_cost)
      .def_prop_ro("n_leaves", [](const PathPoint& p) { return p.tree.n_leaves(); })
      .def_ro("alpha_low", &PathPoint::alpha_low)
      .def_ro("alpha_high", &PathPoint::alpha_high);

  nb::class_<PathResult, SearchReport>(m, "PathResult", "The trees of a path.")
      .def_prop_ro("points", [](const PathResult& r) { return r.points; });

  m.def("fit_tree", &fit, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "progress"_a = nb::none(), "encoded"_a = nb::none(),
        "heartbeat"_a = nb::none(),
        "Fit one tree; labels if n_classes > 0, real targets otherwise.");
  m.def("fit_path", &path, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "kind"_a, "encoded"_a = nb::none(), "heartbeat"_a = nb::none(),
        "The best trees for all alphas or for all numbers of leaves, smallest first.");
}

}  // namespace dpdtree::python
