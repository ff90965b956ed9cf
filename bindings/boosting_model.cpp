#include "boosting_model.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "base/error.hpp"
#include "interrupt.hpp"
#include "register.hpp"
#include "tree/forest_predictor.hpp"
#include "tree/stored.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

MatrixView checked_view(const Forest& model, const AnyMatrix& x) {
  const MatrixView view = view_of(x);
  if (view.cols != model.n_features)
    throw InputError("X has " + std::to_string(view.cols) +
                     " features, the model was fitted with " +
                     std::to_string(model.n_features));
  check_finite(view);
  return view;
}

OutArray<double, 2> predict_raw(const Forest& model, const AnyMatrix& x,
                                unsigned n_threads, i64 n_iterations) {
  const MatrixView view = checked_view(model, x);
  const std::size_t n =
      n_iterations < 0 ? model.n_iterations() : static_cast<std::size_t>(n_iterations);
  std::vector<double> raw(view.rows * model.n_outputs);
  without_gil([&] {
    ThreadPool pool(n_threads);
    ForestPredictor(model).predict(view, n, {raw.data(), model.n_outputs, 1}, pool);
  });
  return to_matrix(std::move(raw), view.rows, model.n_outputs);
}

using Leaves = nb::ndarray<nb::numpy, i32, nb::ndim<3>, nb::c_contig>;

Leaves apply_rows(const Forest& model, const AnyMatrix& x, unsigned n_threads) {
  const MatrixView view = checked_view(model, x);
  auto* leaf = new std::vector<i32>(view.rows * model.trees.size());
  nb::capsule owner(leaf,
                    [](void* p) noexcept { delete static_cast<std::vector<i32>*>(p); });
  without_gil([&] {
    ThreadPool pool(n_threads);
    ForestPredictor(model).apply(view, pool, leaf->data());
  });
  return Leaves(leaf->data(), {view.rows, model.n_iterations(), model.n_outputs},
                owner);
}

// Scores after one iteration, then after two, ...; rows are encoded once.
class StagedScores {
 public:
  StagedScores(const Forest& model, const AnyMatrix& x, unsigned n_threads)
      : model_(model), predictor_(model_), n_threads_(n_threads) {
    const MatrixView view = checked_view(model_, x);
    n_rows_ = view.rows;
    raw_.resize(n_rows_ * model_.n_outputs);
    without_gil([&] {
      ThreadPool pool(n_threads_);
      predictor_.predict(view, 0, target(), pool);
      blocks_ = predictor_.encode(view, pool);
    });
  }

  OutArray<double, 2> next() {
    if (done_ == model_.n_iterations()) throw nb::stop_iteration();
    const std::size_t k = model_.n_outputs;
    without_gil([&] {
      ThreadPool pool(n_threads_);
      pool.parallel_for(blocks_.size(), [&](std::size_t b, unsigned) {
        predictor_.add_trees(blocks_[b], done_ * k, (done_ + 1) * k, target());
      });
    });
    ++done_;
    return to_matrix(std::vector<double>(raw_), n_rows_, k);
  }

 private:
  ForestPredictor::Target target() { return {raw_.data(), model_.n_outputs, 1}; }

  Forest model_;
  ForestPredictor predictor_;
  unsigned n_threads_;
  std::size_t n_rows_ = 0;
  std::size_t done_ = 0;
  std::vector<double> raw_;
  std::vector<ForestPredictor::RowBlock> blocks_;
};

// A tree of a forest under the names of boosting.
struct BoostedTree {
  std::shared_ptr<const Tree> tree;
};

BoostedTree tree_at(const Forest& model, std::size_t iteration, std::size_t output) {
  if (iteration >= model.n_iterations() || output >= model.n_outputs)
    throw nb::index_error("the model has no such tree");
  return {model.trees[iteration * model.n_outputs + output]};
}

OutArray<double> importances(const Forest& model, const std::string& kind) {
  if (kind != "gain" && kind != "split")
    throw InputError("kind must be 'gain' or 'split', got '" + kind + "'");
  return to_numpy(model.importances(kind == "gain"));
}

nb::bytes to_bytes(const Forest& model) {
  const std::string bytes = dpdtree::to_bytes(model);
  return nb::bytes(bytes.data(), bytes.size());
}

Forest from_bytes(const nb::bytes& bytes) {
  return forest_from_bytes({bytes.c_str(), bytes.size()});
}

template <class T, std::vector<T> Tree::* Member>
View<T> boosted_array(const BoostedTree& boosted) {
  return view_array<T, Member>(*boosted.tree);
}

OutArray<u8> is_categorical(const BoostedTree& boosted) {
  std::vector<u8> out(boosted.tree->node_count());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = boosted.tree->is_categorical(i);
  return to_numpy(std::move(out));
}

// A bit per category in eight words per node.
OutArray<u32, 2> left_categories(const BoostedTree& boosted) {
  const Tree& tree = *boosted.tree;
  std::vector<u32> words(tree.node_count() * 8, 0);
  for (std::size_t i = 0; i < tree.node_count(); ++i)
    for (const i64 category : tree.left_categories(i)) {
      const auto code = static_cast<u32>(category);
      words[i * 8 + code / 32] |= 1u << (code % 32);
    }
  return to_matrix(std::move(words), tree.node_count(), 8);
}

void register_boosting_tree(nb::module_& m) {
  const auto self = nb::rv_policy::reference_internal;
  nb::class_<BoostedTree>(m, "BoostingTree",
                          "One tree of a boosted model, in preorder.")
      .def_prop_ro(
          "node_count",
          [](const BoostedTree& boosted) { return boosted.tree->node_count(); })
      .def_prop_ro("children_left", boosted_array<i64, &Tree::children_left>, self)
      .def_prop_ro("children_right", boosted_array<i64, &Tree::children_right>, self)
      .def_prop_ro("feature", boosted_array<i64, &Tree::feature>, self)
      .def_prop_ro("threshold", boosted_array<double, &Tree::threshold>, self)
      .def_prop_ro("missing_go_to_left", boosted_array<u8, &Tree::missing_go_to_left>,
                   self)
      .def_prop_ro("is_categorical", is_categorical, nb::rv_policy::move)
      .def_prop_ro("left_categories", left_categories, nb::rv_policy::move)
      .def_prop_ro("value", boosted_array<double, &Tree::value>, self)
      .def_prop_ro("gain", boosted_array<double, &Tree::gain>, self)
      .def_prop_ro("n_node_samples", boosted_array<i64, &Tree::n_node_samples>, self)
      .def_prop_ro("sum_hessian", boosted_array<double, &Tree::weighted_n_node_samples>,
                   self);
}

}  // namespace

void register_boosting_model(nb::module_& m) {
  register_boosting_tree(m);
  nb::class_<StagedScores>(m, "StagedScores", "Iterator over the scores of a model.")
      .def("__iter__", [](nb::handle self) { return self; })
      .def("__next__", &StagedScores::next);
  nb::class_<Forest>(m, "BoostingModel", "Trees whose values add up to raw scores.")
      .def_ro("n_features", &Forest::n_features)
      .def_ro("n_outputs", &Forest::n_outputs)
      .def_prop_ro("n_iterations", &Forest::n_iterations)
      .def_prop_ro(
          "baseline",
          [](const Forest& model) {
            return to_numpy(std::vector<double>(model.baseline));
          },
          nb::rv_policy::move)
      .def("predict_raw", predict_raw, "X"_a, "n_threads"_a = 1, "n_iterations"_a = -1)
      .def(
          "staged",
          [](const Forest& model, const AnyMatrix& x, unsigned n_threads) {
            return std::make_unique<StagedScores>(model, x, n_threads);
          },
          "X"_a, "n_threads"_a = 1)
      .def("apply", apply_rows, "X"_a, "n_threads"_a = 1)
      .def("tree", tree_at, "iteration"_a, "output"_a)
      .def("truncated", &Forest::truncated, "n_iterations"_a)
      .def("feature_importances", importances, "kind"_a)
      .def("to_bytes", to_bytes)
      .def_static("from_bytes", from_bytes, "data"_a)
      .def("__getstate__", to_bytes)
      .def("__setstate__", [](Forest& model, const nb::bytes& bytes) {
        new (&model) Forest(from_bytes(bytes));
      });
}

}  // namespace dpdtree::python
