#include "boosting_model.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "base/error.hpp"
#include "register.hpp"
#include "tree/forest_predictor.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

using boosting::BoostTree;
using boosting::Model;
using boosting::Predictor;

MatrixView checked_view(const Model& model, const AnyMatrix& x) {
  const MatrixView view = view_of(x);
  if (view.cols != model.n_features)
    throw InputError("X has " + std::to_string(view.cols) +
                     " features, the model was fitted with " +
                     std::to_string(model.n_features));
  return view;
}

OutArray<double, 2> predict_raw(const Model& model, const AnyMatrix& x,
                                unsigned n_threads, i64 n_iterations) {
  const MatrixView view = checked_view(model, x);
  const std::size_t n =
      n_iterations < 0 ? model.n_iterations() : static_cast<std::size_t>(n_iterations);
  std::vector<double> raw(view.rows * model.n_outputs);
  {
    nb::gil_scoped_release unlocked;
    ThreadPool pool(n_threads);
    Predictor(model).predict(view, n, {raw.data(), model.n_outputs, 1}, pool);
  }
  return to_matrix(std::move(raw), view.rows, model.n_outputs);
}

using Leaves = nb::ndarray<nb::numpy, i32, nb::ndim<3>, nb::c_contig>;

Leaves apply_rows(const Model& model, const AnyMatrix& x, unsigned n_threads) {
  const MatrixView view = checked_view(model, x);
  auto* leaf = new std::vector<i32>(view.rows * model.trees.size());
  nb::capsule owner(leaf,
                    [](void* p) noexcept { delete static_cast<std::vector<i32>*>(p); });
  {
    nb::gil_scoped_release unlocked;
    ThreadPool pool(n_threads);
    Predictor(model).apply(view, pool, leaf->data());
  }
  return Leaves(leaf->data(), {view.rows, model.n_iterations(), model.n_outputs},
                owner);
}

// Scores after one iteration, then after two, ...; rows are encoded once.
class StagedScores {
 public:
  StagedScores(const Model& model, const AnyMatrix& x, unsigned n_threads)
      : model_(model), predictor_(model_), n_threads_(n_threads) {
    const MatrixView view = checked_view(model_, x);
    n_rows_ = view.rows;
    raw_.resize(n_rows_ * model_.n_outputs);
    nb::gil_scoped_release unlocked;
    ThreadPool pool(n_threads_);
    predictor_.predict(view, 0, target(), pool);
    blocks_ = predictor_.encode(view, pool);
  }

  OutArray<double, 2> next() {
    if (done_ == model_.n_iterations()) throw nb::stop_iteration();
    const std::size_t k = model_.n_outputs;
    {
      nb::gil_scoped_release unlocked;
      ThreadPool pool(n_threads_);
      pool.parallel_for(blocks_.size(), [&](std::size_t b, unsigned) {
        predictor_.add_trees(blocks_[b], done_ * k, (done_ + 1) * k, target());
      });
    }
    ++done_;
    return to_matrix(std::vector<double>(raw_), n_rows_, k);
  }

 private:
  Predictor::Target target() { return {raw_.data(), model_.n_outputs, 1}; }

  Model model_;
  Predictor predictor_;
  unsigned n_threads_;
  std::size_t n_rows_ = 0;
  std::size_t done_ = 0;
  std::vector<double> raw_;
  std::vector<Predictor::RowBlock> blocks_;
};

std::shared_ptr<const BoostTree> tree_at(const Model& model, std::size_t iteration,
                                         std::size_t output) {
  if (iteration >= model.n_iterations() || output >= model.n_outputs)
    throw nb::index_error("the model has no such tree");
  return model.trees[iteration * model.n_outputs + output];
}

OutArray<double> importances(const Model& model, const std::string& kind) {
  if (kind != "gain" && kind != "split")
    throw InputError("kind must be 'gain' or 'split', got '" + kind + "'");
  return to_numpy(model.importances(kind == "gain"));
}

nb::bytes to_bytes(const Model& model) {
  const std::string bytes = boosting::model_to_bytes(model);
  return nb::bytes(bytes.data(), bytes.size());
}

Model from_bytes(const nb::bytes& bytes) {
  return boosting::model_from_bytes({bytes.c_str(), bytes.size()});
}

template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;

template <class T, std::vector<T> BoostTree::* Member>
View<T> view_array(const BoostTree& tree) {
  return View<T>((tree.*Member).data(), {(tree.*Member).size()});
}

OutArray<u32, 2> left_categories(const BoostTree& tree) {
  std::vector<u32> out(tree.node_count() * 8, 0);
  for (std::size_t i = 0; i < tree.left_categories.size(); ++i)
    std::copy(tree.left_categories[i].begin(), tree.left_categories[i].end(),
              out.begin() + static_cast<std::ptrdiff_t>(i * 8));
  return to_matrix(std::move(out), tree.node_count(), 8);
}

void register_boosting_tree(nb::module_& m) {
  const auto self = nb::rv_policy::reference_internal;
  nb::class_<BoostTree>(m, "BoostingTree", "One tree of a boosted model, in preorder.")
      .def_prop_ro("node_count", &BoostTree::node_count)
      .def_prop_ro("children_left", view_array<i32, &BoostTree::children_left>, self)
      .def_prop_ro("children_right", view_array<i32, &BoostTree::children_right>, self)
      .def_prop_ro("feature", view_array<i32, &BoostTree::feature>, self)
      .def_prop_ro("threshold", view_array<double, &BoostTree::threshold>, self)
      .def_prop_ro("missing_go_to_left", view_array<u8, &BoostTree::missing_go_to_left>,
                   self)
      .def_prop_ro("is_categorical", view_array<u8, &BoostTree::is_categorical>, self)
      .def_prop_ro("left_categories", left_categories, nb::rv_policy::move)
      .def_prop_ro("value", view_array<double, &BoostTree::value>, self)
      .def_prop_ro("gain", view_array<double, &BoostTree::gain>, self)
      .def_prop_ro("n_node_samples", view_array<i64, &BoostTree::n_node_samples>, self)
      .def_prop_ro("sum_hessian", view_array<double, &BoostTree::sum_hessian>, self);
}

}  // namespace

void register_boosting_model(nb::module_& m) {
  register_boosting_tree(m);
  nb::class_<StagedScores>(m, "StagedScores", "Iterator over the scores of a model.")
      .def("__iter__", [](nb::handle self) { return self; })
      .def("__next__", &StagedScores::next);
  nb::class_<Model>(m, "BoostingModel", "Trees whose values add up to raw scores.")
      .def_ro("n_features", &Model::n_features)
      .def_ro("n_outputs", &Model::n_outputs)
      .def_prop_ro("n_iterations", &Model::n_iterations)
      .def_prop_ro(
          "baseline",
          [](const Model& model) {
            return to_numpy(std::vector<double>(model.baseline));
          },
          nb::rv_policy::move)
      .def("predict_raw", predict_raw, "X"_a, "n_threads"_a = 1, "n_iterations"_a = -1)
      .def(
          "staged",
          [](const Model& model, const AnyMatrix& x, unsigned n_threads) {
            return std::make_unique<StagedScores>(model, x, n_threads);
          },
          "X"_a, "n_threads"_a = 1)
      .def("apply", apply_rows, "X"_a, "n_threads"_a = 1)
      .def("tree", tree_at, "iteration"_a, "output"_a)
      .def("truncated", &Model::truncated, "n_iterations"_a)
      .def("feature_importances", importances, "kind"_a)
      .def("to_bytes", to_bytes)
      .def_static("from_bytes", from_bytes, "data"_a)
      .def("__getstate__", to_bytes)
      .def("__setstate__", [](Model& model, const nb::bytes& bytes) {
        new (&model) Model(from_bytes(bytes));
      });
}

}  // namespace dpdtree::python
