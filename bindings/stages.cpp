// Single stages of a fit, for tests on hand-made input.
#include <nanobind/stl/vector.h>

#include <cmath>

#include "data/encoder.hpp"
#include "data/round_threshold.hpp"
#include "loss/weights.hpp"
#include "register.hpp"
#include "search/fronts.hpp"
#include "simd/dispatch.hpp"
#include "training_data.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

nb::tuple encode_one(const InVector<double>& x, u32 max_bins, const Weights& weights) {
  const std::vector<double> values(x.data(), x.data() + x.size());
  Column column = encode_column(values, max_bins, weights ? weights->data() : nullptr);
  // Ranks even where the column uses positions: codes that do not occur are left out.
  std::vector<u32> rank(column.n_codes(), 0);
  std::vector<double> lower;
  for (u32 c = 0; c < column.n_values; ++c) {
    if (column.occurs(c)) lower.push_back(column.value(c));
    rank[c] = static_cast<u32>(lower.size() - 1);
  }
  if (column.n_missing > 0) rank.back() = static_cast<u32>(lower.size());
  std::vector<u32> codes(values.size());
  visit_codes(column.code, [&](const auto* code) {
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = rank[code[i]];
  });
  return nb::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(lower)));
}

nb::tuple normalize(const InVector<double>& weights) {
  NormalizedWeights form = normalize_weights({weights.data(), weights.size()});
  return nb::make_tuple(to_numpy(std::move(form.weight)), form.scale, form.whole,
                        form.counts);
}

struct CandidateSplit {
  u32 feature;
  double threshold;
  bool missing_left;
  double decrease;
};

// The candidates of the root state: n of params.generator.
std::vector<CandidateSplit> root_candidates(const TrainingData& data,
                                            const TreeParams& params, u32 n) {
  StopToken stop(-1, {});
  ThreadPool pool(1);
  const auto search = prepare(data, params, stop, pool);
  const Search& s = *search;
  const std::size_t width = s.set.targets.stats_width();
  std::vector<CandidateSplit> out;
  std::vector<double> stats(2 * width);
  std::vector<Row> rows(s.root.rows.size());
  FeatureList features = s.features;
  const auto splits = generator_of(params.generator)
                          ->candidates(s.context(), s.root, features, n, nullptr);
  for (Split split : splits) {
    const Children c =
        split_node(s.problem, s.root, split, rows.data(), s.context().spare_rows,
                   stats.data(), stats.data() + width);
    const double decrease = s.objective.impurity(s.root) -
                            s.objective.impurity(c.left) -
                            s.objective.impurity(c.right);
    out.push_back({split.feature, split.threshold, split.missing == Missing::left,
                   decrease / s.root.weight * s.objective.impurity_unit});
  }
  return out;
}

nb::list as_list(const std::vector<CandidateSplit>& splits) {
  nb::list out;
  for (const CandidateSplit& s : splits)
    out.append(nb::make_tuple(s.feature, s.threshold, s.missing_left));
  return out;
}

nb::list candidates(const AnyMatrix& x, const nb::object& y, const Weights& weights,
                    const ClassCounts& n_classes, const TreeParams& params, u32 n) {
  return as_list(root_candidates(training_data(x, y, weights, n_classes), params, n));
}

nb::list greedy_candidates(const AnyMatrix& x, const nb::object& y,
                           const Weights& weights, const ClassCounts& n_classes,
                           TreeParams params, u32 n_splits) {
  params.generator = "cart";
  return candidates(x, y, weights, n_classes, params, n_splits);
}

// The best split of the given rows: the others get weight 0.
nb::object best_split(const AnyMatrix& x, const nb::object& y, const Weights& weights,
                      const ClassCounts& n_classes, TreeParams params,
                      const InVector<i64>& rows) {
  TrainingData data = training_data(x, y, weights, n_classes);
  std::vector<double> w(data.x.rows, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto r = static_cast<std::size_t>(rows.data()[i]);
    if (r >= w.size()) throw InputError("a row is out of range");
    w[r] = data.weights != nullptr ? data.weights[r] : 1.0;
  }
  data.weights = w.data();
  params.generator = "cart";
  const auto found = root_candidates(data, params, 1);
  if (found.empty()) return nb::none();
  const CandidateSplit& s = found.front();
  return nb::make_tuple(s.feature, s.threshold, s.missing_left, s.decrease);
}

// How many features were searched by way of their bins, and by known cells, at the root
// and at both sides of its best split.
std::vector<std::vector<std::size_t>> counted_features(const AnyMatrix& x,
                                                       const nb::object& y,
                                                       const Weights& weights,
                                                       const ClassCounts& n_classes,
                                                       const TreeParams& params) {
  const TrainingData data = training_data(x, y, weights, n_classes);
  StopToken stop(-1, {});
  ThreadPool pool(1);
  const auto search = prepare(data, params, stop, pool);
  const Search& s = *search;
  std::vector<std::vector<std::size_t>> out;
  SplitScratch& scratch = s.context().scratch;
  const auto find = [&](const NodeView& node) {
    scratch.n_by_bins = scratch.n_by_known_cells = 0;
    FeatureList features = s.features;
    const FoundSplit found = s.context().find(node, features, false);
    out.push_back({scratch.n_by_bins, scratch.n_by_known_cells});
    return found;
  };
  FoundSplit best = find(s.root);
  if (!best.found) return out;
  const std::size_t width = s.set.targets.stats_width();
  std::vector<double> stats(2 * width);
  std::vector<Row> rows(s.root.rows.size());
  const Children c =
      split_node(s.problem, s.root, best.split, rows.data(), s.context().spare_rows,
                 stats.data(), stats.data() + width);
  find(c.left);
  find(c.right);
  return out;
}

}  // namespace

void register_stages(nb::module_& m) {
  nb::module_ s = m.def_submodule("stages", "Single stages of a fit, for tests.");
  s.def("encode_column", encode_one, "x"_a, "max_bins"_a = 0,
        "sample_weight"_a.none() = nb::none());
  s.def("round_threshold", round_threshold, "low"_a, "high"_a,
        "The roundest threshold between two neighbouring values.");
  s.def("normalize_weights", normalize, "weights"_a);
  s.def("instruction_set", instruction_set_name, "The vector instructions in use.");
  s.def("force_instruction_set", force_instruction_set, "name"_a,
        "Use 'avx512', 'avx2', 'sse2', 'portable' or 'best'; False if this machine "
        "cannot.");
  s.def("candidates", candidates, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "n"_a);
  s.def("greedy_candidates", greedy_candidates, "X"_a, "y"_a, "sample_weight"_a.none(),
        "n_classes"_a, "params"_a, "n_splits"_a);
  s.def("best_split", best_split, "X"_a, "y"_a, "sample_weight"_a.none(), "n_classes"_a,
        "params"_a, "rows"_a);
  s.def("counted_features", counted_features, "X"_a, "y"_a, "sample_weight"_a.none(),
        "n_classes"_a, "params"_a);
}

}  // namespace dpdtree::python
