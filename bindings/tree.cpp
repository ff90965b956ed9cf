#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "base/error.hpp"
#include "base/uninitialized_vector.hpp"
#include "interrupt.hpp"
#include "pickled.hpp"
#include "register.hpp"
#include "tree/predict.hpp"
#include "tree/shrinkage.hpp"
#include "tree/stored.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

using ValueView = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig>;

ValueView view_value(const Tree& tree) {
  return ValueView(tree.value.data(), {tree.node_count(), tree.n_values()});
}

Tree from_arrays(i64 n_features, const InVector<i64>& left, const InVector<i64>& right,
                 const InVector<i64>& feature, const InVector<double>& threshold,
                 const InVector<u8>& missing_left,
                 const nb::ndarray<const double, nb::ndim<2>, nb::c_contig>& value,
                 const InVector<double>& impurity, const InVector<i64>& n_samples,
                 const InVector<double>& weight,
                 const std::optional<InVector<i64>>& category_end,
                 const std::optional<InVector<i64>>& category_left,
                 const std::optional<InVector<i64>>& n_classes) {
  Tree tree;
  tree.n_features = n_features;
  tree.n_classes = {static_cast<i64>(value.shape(1))};
  if (n_classes) tree.n_classes = copied(*n_classes);
  tree.children_left = copied(left);
  tree.children_right = copied(right);
  tree.feature = copied(feature);
  tree.threshold = copied(threshold);
  tree.missing_go_to_left = copied(missing_left);
  tree.value = {value.data(), value.data() + value.size()};
  tree.impurity = copied(impurity);
  tree.n_node_samples = copied(n_samples);
  tree.weighted_n_node_samples = copied(weight);
  if (category_end) tree.category_end = copied(*category_end);
  if (category_left) tree.category_left = copied(*category_left);
  check_tree(tree);
  return tree;
}

MatrixView checked_view(const Tree& tree, const AnyMatrix& x) {
  const MatrixView view = view_of(x);
  if (view.cols != static_cast<std::size_t>(tree.n_features))
    throw InputError("X has " + std::to_string(view.cols) +
                     " features, the tree was fitted with " +
                     std::to_string(tree.n_features));
  return view;
}

OutArray<i64> apply_rows(const Tree& tree, const AnyMatrix& x, unsigned n_threads) {
  const MatrixView view = checked_view(tree, x);
  UninitializedVector<i64> leaf(view.rows);
  without_gil([&] {
    ThreadPool pool(n_threads);
    apply(tree, view, pool, leaf.data());
  });
  return to_numpy(std::move(leaf));
}

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
OutArray<T, 2> look_up_rows(const Tree& tree, const AnyMatrix& x, const Table<T>& table,
                            unsigned n_threads) {
  const MatrixView view = checked_view(tree, x);
  if (table.shape(0) != tree.node_count())
    throw InputError("the table needs a row for each node");
  const std::size_t width = table.shape(1);
  UninitializedVector<T> out(view.rows * width);
  without_gil([&] {
    ThreadPool pool(n_threads);
    look_up(tree, view, pool, std::span(table.data(), table.size()), width, out.data());
  });
  return to_matrix(std::move(out), view.rows, width);
}

nb::tuple path_of_rows(const Tree& tree, const AnyMatrix& x) {
  const MatrixView view = checked_view(tree, x);
  std::vector<i64> indptr, indices;
  without_gil([&] { decision_path(tree, view, indptr, indices); });
  return nb::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(indices)));
}

OutArray<double> shrink(const Tree& tree, const InVector<double>& rows,
                        double strength) {
  if (rows.shape(0) != tree.node_count())
    throw InputError("rows has to tell one number for each node");
  return to_numpy(shrunk_values(tree, std::span(rows.data(), rows.shape(0)), strength));
}

void bind_arrays(nb::class_<Tree>& c) {
  const auto self = nb::rv_policy::reference_internal;
  c.def_prop_ro("children_left", view_array<i64, &Tree::children_left, Tree>, self)
      .def_prop_ro("children_right", view_array<i64, &Tree::children_right, Tree>, self)
      .def_prop_ro("feature", view_array<i64, &Tree::feature, Tree>, self)
      .def_prop_ro("threshold", view_array<double, &Tree::threshold, Tree>, self)
      .def_prop_ro("missing_go_to_left",
                   view_array<u8, &Tree::missing_go_to_left, Tree>, self)
      .def_prop_ro("value", view_value, self)
      .def_prop_ro("n_classes", view_array<i64, &Tree::n_classes, Tree>, self)
      .def_prop_ro("impurity", view_array<double, &Tree::impurity, Tree>, self)
      .def_prop_ro("n_node_samples", view_array<i64, &Tree::n_node_samples, Tree>, self)
      .def_prop_ro("weighted_n_node_samples",
                   view_array<double, &Tree::weighted_n_node_samples, Tree>, self)
      .def_prop_ro("category_end", view_array<i64, &Tree::category_end, Tree>, self)
      .def_prop_ro("category_left", view_array<i64, &Tree::category_left, Tree>, self);
}

}  // namespace

void register_tree(nb::module_& m) {
  nb::class_<Tree> c(m, "TreeData", "An immutable binary tree, nodes in preorder.");
  c.def_prop_ro("node_count", &Tree::node_count)
      .def_prop_ro("max_depth", &Tree::max_depth)
      .def_prop_ro("n_leaves", &Tree::n_leaves)
      .def_ro("n_features", &Tree::n_features)
      .def_prop_ro("n_values", &Tree::n_values)
      .def_prop_ro("n_outputs", [](const Tree& t) { return t.n_classes.size(); });
  bind_arrays(c);
  c.def("shrunk_values", shrink, "rows"_a, "strength"_a,
        "Values of all nodes, one after the other; rows: how many each stands for.");
  c.def("apply", apply_rows, "X"_a, "n_threads"_a = 1)
      .def("look_up", look_up_rows<i64>, "X"_a, "table"_a.noconvert(),
           "n_threads"_a = 1)
      .def("look_up", look_up_rows<double>, "X"_a, "table"_a.noconvert(),
           "n_threads"_a = 1, "The row of the table of each row's leaf.")
      .def("decision_path", path_of_rows, "X"_a)
      .def_static("from_arrays", from_arrays, "n_features"_a, "children_left"_a,
                  "children_right"_a, "feature"_a, "threshold"_a,
                  "missing_go_to_left"_a, "value"_a, "impurity"_a, "n_node_samples"_a,
                  "weighted_n_node_samples"_a, "category_end"_a.none() = nb::none(),
                  "category_left"_a.none() = nb::none(),
                  "n_classes"_a.none() = nb::none());
  bind_pickled<Tree, to_bytes, tree_from_bytes>(c);
}

}  // namespace dpdtree::python
