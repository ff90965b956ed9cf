// Single trees of rows that are elsewhere: partitions that answer, a fit that asks.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "api/fit_remote_tree.hpp"
#include "base/error.hpp"
#include "blocks.hpp"
#include "interrupt.hpp"
#include "plan/tree_partition.hpp"
#include "register.hpp"
#include "search/tuning.hpp"
#include "training_data.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

nb::bytes to_bytes(const std::string& s) { return nb::bytes(s.data(), s.size()); }
std::string_view view_bytes(const nb::bytes& b) { return {b.c_str(), b.size()}; }

// Targets and weights of all rows, as the search takes them.
struct TreeTargets {
  Targets targets;
};

void make_targets(TreeTargets* self, const AnyMatrix& x, const nb::object& y,
                  const Weights& weights, const ClassCounts& n_classes,
                  const TreeParams& params) {
  const TrainingData data = training_data(x, y, weights, n_classes);
  Targets targets = without_gil([&] {
    ThreadPool pool(params.n_threads);
    return targets_of(data, params, pool);
  });
  new (self) TreeTargets{std::move(targets)};
}

nb::bytes some_rows(const TreeTargets& self, std::size_t begin, std::size_t end) {
  return to_bytes(targets_to_bytes(targets_of_rows(self.targets, begin, end)));
}

// The columns, which the caller cannot use again; all partitions have the same codes.
std::vector<Column> taken(EncodedColumns& encoded, const std::vector<bool>& missing) {
  if (missing.size() != encoded.columns.size())
    throw InputError("it must be known of each column if values are missing");
  for (std::size_t f = 0; f < missing.size(); ++f)
    if (missing[f] && encoded.columns[f].n_missing == 0)
      encoded.columns[f].n_missing = 1;
  return std::move(encoded.columns);
}

void make_partition(TreePartition* self, EncodedColumns& encoded,
                    const std::vector<bool>& missing, const nb::bytes& targets,
                    const Weights& weights, const std::optional<InVector<u8>>& folds,
                    std::size_t place) {
  Targets own = targets_from_bytes(view_bytes(targets));
  const std::size_t n =
      (own.classification() ? own.label.size() : own.y.size()) / own.n_outputs;
  check_length("targets", n, encoded.x.shape(0));
  if (weights) check_length("sample_weight", weights->shape(0), n);
  std::vector<u8> fold_of;
  if (folds) fold_of.assign(folds->data(), folds->data() + folds->size());
  new (self)
      TreePartition(taken(encoded, missing), std::move(own),
                    weights ? weights->data() : nullptr, std::move(fold_of), place);
}

nb::bytes answer(const TreePartition& self, const nb::bytes& request,
                 unsigned threads) {
  const std::string_view asked = view_bytes(request);
  return to_bytes(without_gil([&] { return self.answer(asked, threads); }));
}

nb::tuple cards(const TreePartition& self, const std::vector<std::vector<u32>>& ranks) {
  RowCards found = without_gil([&] { return self.cards(ranks); });
  return nb::make_tuple(to_numpy(std::move(found.group)),
                        to_numpy(std::move(found.hash)),
                        to_numpy(std::move(found.row)));
}

nb::bytes merge(const std::vector<nb::bytes>& answers) {
  std::vector<std::string_view> views;
  for (const nb::bytes& one : answers) views.push_back(view_bytes(one));
  return to_bytes(without_gil([&] { return merge_node_answers(views); }));
}

RemoteTreeFit::Ask asking(const nb::object& ask) {
  return [&ask](const std::string& request) { return bytes_from(ask, request); };
}

FitResult fit_elsewhere(RemoteTreeFit& self, const nb::object& ask,
                        const nb::object& heartbeat) {
  FitHooks hooks;
  hooks.interrupt = [&heartbeat](const Heartbeat& h) {
    return interrupted_while(heartbeat, h.seconds, h.stage, h.share);
  };
  return without_gil([&] { return self.fit(asking(ask), hooks); });
}

}  // namespace

void register_remote_tree(nb::module_& m) {
  nb::class_<TreeTargets>(m, "TreeTargets", "Targets and weights as a search has them.")
      .def("__init__", make_targets, "X"_a, "y"_a, "sample_weight"_a.none(),
           "n_classes"_a, "params"_a)
      .def("part", some_rows, "begin"_a, "end"_a,
           "Those of some rows; of none: their units.")
      .def(
          "needs_all_rows",
          [](const TreeTargets& self, const TreeParams& params, u64 n_rows,
             std::vector<u32> n_codes) {
            return needs_all_rows(self.targets, params, {n_rows, std::move(n_codes)});
          },
          "params"_a, "n_rows"_a, "n_codes"_a,
          "Why the tree cannot be searched where its rows are; empty: it can.");
  nb::class_<TreePartition>(m, "TreePartition",
                            "Some rows of a tree that is searched elsewhere.")
      .def("__init__", make_partition, "encoded"_a, "has_missing"_a, "targets"_a,
           "sample_weight"_a.none(), "fold_of"_a.none(), "place"_a = 0)
      .def(
          "runs",
          [](const TreePartition& self) {
            return to_bytes(without_gil([&] { return self.runs().bytes(); }));
          },
          "Rows that repeat, one after the other.")
      .def("answer", answer, "request"_a, "n_threads"_a = 1)
      .def("cards", cards, "ranks"_a,
           "Of rows of weight: class, hash and number. By them rows are dealt to "
           "folds.");
  m.attr("TUNING_FOLDS") = kFolds;
  m.def("merge_tree_answers", merge, "answers"_a, "What all partitions say.");
  nb::class_<RemoteTreeFit>(m, "RemoteTreeFit", "A tree of rows that are elsewhere.")
      .def(
          "__init__",
          [](RemoteTreeFit* self, EncodedColumns& encoded,
             const std::vector<bool>& missing, const nb::bytes& units,
             const TreeParams& params) {
            new (self) RemoteTreeFit(taken(encoded, missing),
                                     targets_from_bytes(view_bytes(units)), params);
          },
          "encoded"_a, "has_missing"_a, "units"_a, "params"_a)
      .def_prop_ro("wants_runs", &RemoteTreeFit::wants_runs)
      .def(
          "take_runs",
          [](RemoteTreeFit& self, const std::vector<nb::bytes>& parts) {
            std::vector<RowRuns> runs;
            for (const nb::bytes& one : parts)
              runs.push_back(RowRuns::from_bytes(view_bytes(one)));
            self.take_runs(runs);
          },
          "parts"_a, "Runs of equal rows, partition after partition.")
      .def_prop_ro("wants_folds", &RemoteTreeFit::wants_folds)
      .def(
          "ranks",
          [](RemoteTreeFit& self, const nb::object& ask) {
            return without_gil([&] { return self.ranks(asking(ask)); });
          },
          "ask"_a, "Ranks of codes, by which rows are dealt to folds.")
      .def("fit", fit_elsewhere, "ask"_a, "heartbeat"_a.none() = nb::none());
}

}  // namespace dpdtree::python
