// Rows that come in blocks: edges from a sample of them, then codes block by block.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/error.hpp"
#include "blocks.hpp"
#include "data/binned_encoder.hpp"
#include "data/quantile_rows.hpp"
#include "interrupt.hpp"
#include "loss/targets.hpp"
#include "register.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

OutArray<Row> quantile_rows(std::size_t n, const std::optional<InVector<double>>& w) {
  if (w && w->size() != n) throw InputError("weights must have one entry per row");
  return to_numpy(rows_for_quantiles(n, w ? w->data() : nullptr));
}

// Weights as a tree's search takes them: without a common factor, rounded if sums shall
// depend on no order.
OutArray<double> tree_weights(const InVector<double>& weights, bool order_free) {
  const std::vector<u8> labels(weights.size(), 0);
  const u32 one = 1;
  const Targets targets = make_class_targets(std::span<const u8>(labels), {&one, 1},
                                             weights.data(), nullptr, order_free);
  std::vector<double> out = targets.weight;
  if (!targets.weighted())
    for (std::size_t i = 0; i < weights.size(); ++i)
      out.push_back(weights.data()[i] > 0 ? 1 : 0);
  return to_numpy(std::move(out));
}

nb::list boosting_edges(const AnyMatrix& x, const std::optional<InVector<double>>& w,
                        const boosting::Params& params, bool more_rows) {
  const MatrixView view = view_of(x);
  const auto bins = without_gil([&] {
    StopToken stop(-1, interrupted);
    ThreadPool pool(params.n_threads);
    check_finite(view);
    return fit_bins(view, w ? w->data() : nullptr, params, more_rows, pool, stop);
  });
  nb::list out;
  for (const boosting::FeatureBins& b : bins)
    out.append(to_numpy(std::vector<double>(b.edges)));
  return out;
}

void add_distinct(DistinctValues& self, const AnyMatrix& x,
                  const std::vector<u32>& columns) {
  const MatrixView view = view_of(x);
  for (const u32 c : columns)
    if (c >= view.cols) throw InputError("a block of rows lacks a column");
  without_gil([&] { self.add(view, columns); });
}

nb::object distinct_values(const DistinctValues& self, u32 column) {
  if (!self.few(column)) return nb::none();
  return nb::cast(to_numpy(self.values(column)));
}

// The codes of a tree's columns while they are filled.
struct TreeCodes {
  std::unique_ptr<Arena> memory;
  std::unique_ptr<BinnedEncoder> encoder;
};

void make_tree_codes(TreeCodes* self, std::size_t n_rows,
                     const std::optional<Scratch>& scratch) {
  auto arena = arena_of(scratch);
  auto encoder = std::make_unique<BinnedEncoder>(n_rows, arena.get());
  new (self) TreeCodes{std::move(arena), std::move(encoder)};
}

void add_few(TreeCodes& self, u32 column, const InVector<double>& values) {
  self.encoder->add_numbers(column, bins_of_few(copied(values)));
}

void add_quantiles(TreeCodes& self, u32 column, const InVector<double>& values,
                   const std::optional<InVector<double>>& weights, u32 max_bins,
                   bool all) {
  if (weights && weights->size() != values.size())
    throw InputError("values and weights must have the same length");
  SortScratch scratch;
  self.encoder->add_numbers(column, bins_of_sample({values.data(), values.size()},
                                                   weights ? weights->data() : nullptr,
                                                   max_bins, all, scratch, nullptr));
}

// Limits, and the least and largest values, of the bins of a column.
nb::tuple quantile_bins(const InVector<double>& values,
                        const std::optional<InVector<double>>& weights, u32 max_bins) {
  if (weights && weights->size() != values.size())
    throw InputError("values and weights must have the same length");
  SortScratch scratch;
  ColumnBins bins = bins_of_sample({values.data(), values.size()},
                                   weights ? weights->data() : nullptr, max_bins, true,
                                   scratch, nullptr);
  return nb::make_tuple(to_numpy(std::move(bins.cuts)), to_numpy(std::move(bins.lower)),
                        to_numpy(std::move(bins.upper)));
}

void add_bins(TreeCodes& self, u32 column, const InVector<double>& cuts,
              const InVector<double>& lower, const InVector<double>& upper) {
  if (lower.size() != cuts.size() + 1 || upper.size() != lower.size())
    throw InputError("there must be one more bin than there are limits");
  self.encoder->add_numbers(column, {copied(cuts), copied(lower), copied(upper), true});
}

void append_rows(TreeCodes& self, const AnyMatrix& x, std::size_t first_row,
                 unsigned n_threads) {
  const MatrixView view = view_of(x);
  without_gil([&] {
    StopToken stop(-1, interrupted);
    ThreadPool pool(n_threads);
    self.encoder->encode(view, first_row, pool, stop);
    if (stop.stopped()) throw Interrupted();
  });
}

void make_boosting_codes(BoostingCodes* self,
                         const std::vector<InVector<double>>& edges,
                         const std::vector<u32>& n_categories, std::size_t n_rows,
                         const std::optional<Scratch>& scratch) {
  std::vector<std::vector<double>> limits;
  for (const auto& e : edges) limits.push_back(copied(e));
  auto arena = arena_of(scratch);
  boosting::BinnedData data(n_rows, boosting::known_bins(limits, n_categories),
                            arena.get());
  new (self) BoostingCodes{std::move(arena), std::move(data)};
}

void append_boosting_rows(BoostingCodes& self, const AnyMatrix& x,
                          std::size_t first_row, unsigned n_threads) {
  const MatrixView view = view_of(x);
  without_gil([&] {
    StopToken stop(-1, interrupted);
    ThreadPool pool(n_threads);
    check_finite(view);
    self.data.encode(view, first_row, pool, stop);
    if (stop.stopped()) throw Interrupted();
  });
}

using Codes = nb::ndarray<const u8, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void put_codes(BoostingCodes& self, const Codes& codes, std::size_t first_row) {
  if (codes.shape(1) != self.data.n_features())
    throw InputError("a block of rows lacks a column");
  without_gil([&] { self.data.put(codes.data(), codes.shape(0), first_row); });
}

}  // namespace

std::unique_ptr<Arena> arena_of(const std::optional<Scratch>& scratch) {
  if (!scratch) return nullptr;
  return std::make_unique<Arena>(reinterpret_cast<std::byte*>(scratch->data()),
                                 scratch->size());
}

void register_blocks(nb::module_& m) {
  m.attr("ROWS_FOR_QUANTILES") = kRowsForQuantiles;
  m.def("rows_for_quantiles", quantile_rows, "n_rows"_a, "sample_weight"_a.none(),
        "The rows that quantiles are taken from, ascending.");
  m.def("tree_weights", tree_weights, "sample_weight"_a, "order_free"_a,
        "Weights as the search of a tree takes them.");
  m.def("boosting_edges", boosting_edges, "X"_a, "sample_weight"_a.none(), "params"_a,
        "more_rows"_a, "The bin limits of the features of a boosted fit.");
  m.def("quantile_bins", quantile_bins, "values"_a, "weights"_a.none(), "max_bins"_a,
        "Limits, least and largest values of the bins of a tree's column.");
  nb::class_<DistinctValues>(m, "DistinctValues",
                             "The distinct values of columns that have few.")
      .def(nb::init<std::size_t, u32>(), "n_columns"_a, "most"_a)
      .def("add", add_distinct, "X"_a, "columns"_a)
      .def(
          "merge",
          [](DistinctValues& self, u32 column,
             const std::optional<InVector<double>>& values) {
            if (values)
              self.add(column, {values->data(), values->size()});
            else
              self.give_up(column);
          },
          "column"_a, "values"_a.none(), "Add values; None: there are too many.")
      .def("values", distinct_values, "column"_a,
           "Ascending; None: there are too many.");
  nb::class_<TreeCodes>(m, "TreeCodes", "Codes of a tree's rows, block by block.")
      .def("__init__", make_tree_codes, "n_rows"_a, "scratch"_a.none() = nb::none(),
           nb::keep_alive<1, 3>())
      .def("add_few", add_few, "column"_a, "values"_a)
      .def("add_quantiles", add_quantiles, "column"_a, "values"_a, "weights"_a.none(),
           "max_bins"_a, "all"_a)
      .def("add_bins", add_bins, "column"_a, "cuts"_a, "lower"_a, "upper"_a)
      .def(
          "add_categories",
          [](TreeCodes& self, u32 column, std::vector<u32> categories) {
            self.encoder->add_categories(column, std::move(categories));
          },
          "column"_a, "categories"_a)
      .def("append", append_rows, "X"_a, "first_row"_a, "n_threads"_a = 1)
      .def(
          "columns",
          [](TreeCodes& self, const AnyMatrix& x) {
            return EncodedColumns{self.encoder->finish(), x};
          },
          "X"_a, nb::keep_alive<0, 1>(), "What `fit_tree` takes as `encoded`.");
  nb::class_<BoostingCodes>(m, "BoostingCodes",
                            "Codes of a boosted fit's rows, block by block.")
      .def("__init__", make_boosting_codes, "edges"_a, "n_categories"_a, "n_rows"_a,
           "scratch"_a.none() = nb::none(), nb::keep_alive<1, 5>())
      .def("append", append_boosting_rows, "X"_a, "first_row"_a, "n_threads"_a = 1)
      .def("put", put_codes, "codes"_a, "first_row"_a,
           "Codes that were made elsewhere.");
}

}  // namespace dpdtree::python
