#include "boosting_model.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "interrupt.hpp"
#include "pickled.hpp"
#include "register.hpp"
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

OutArray<double, 2> predict_raw(const Model& model, const AnyMatrix& x,
                                unsigned n_threads, i64 n_iterations) {
  const Forest& forest = model.forest();
  const MatrixView view = checked_view(forest, x);
  const std::size_t most = forest.n_iterations();
  const std::size_t n =
      n_iterations < 0 ? most : std::min(most, static_cast<std::size_t>(n_iterations));
  std::vector<double> raw(view.rows * forest.n_outputs);
  without_gil([&] {
    ThreadPool pool(n_threads);
    model.predictor().predict(view, n, {raw.data(), forest.n_outputs, 1}, pool);
  });
  return to_matrix(std::move(raw), view.rows, forest.n_outputs);
}

using Leaves = nb::ndarray<nb::numpy, i32, nb::ndim<3>, nb::c_contig>;

Leaves apply_rows(const Model& model, const AnyMatrix& x, unsigned n_threads) {
  const Forest& forest = model.forest();
  const MatrixView view = checked_view(forest, x);
  auto* leaf = new std::vector<i32>(view.rows * forest.trees.size());
  nb::capsule owner(leaf,
                    [](void* p) noexcept { delete static_cast<std::vector<i32>*>(p); });
  without_gil([&] {
    ThreadPool pool(n_threads);
    model.predictor().apply(view, pool, leaf->data());
  });
  return Leaves(leaf->data(), {view.rows, forest.n_iterations(), forest.n_outputs},
                owner);
}

// Scores after one iteration, then after two, ...; rows are encoded once.
class StagedScores {
 public:
  StagedScores(Model model, const AnyMatrix& x, unsigned n_threads)
      : model_(std::move(model)), n_threads_(n_threads) {
    const MatrixView view = checked_view(forest(), x);
    n_rows_ = view.rows;
    raw_.resize(n_rows_ * forest().n_outputs);
    without_gil([&] {
      ThreadPool pool(n_threads_);
      model_.predictor().predict(view, 0, target(), pool);
      blocks_ = model_.predictor().encode(view, pool);
    });
  }

  OutArray<double, 2> next() {
    if (done_ == forest().n_iterations()) throw nb::stop_iteration();
    const std::size_t k = forest().n_outputs;
    without_gil([&] {
      ThreadPool pool(n_threads_);
      pool.parallel_for(blocks_.size(), [&](std::size_t b, unsigned) {
        model_.predictor().add_trees(blocks_[b], done_ * k, (done_ + 1) * k, target());
      });
    });
    ++done_;
    return to_matrix(std::vector<double>(raw_), n_rows_, k);
  }

 private:
  const Forest& forest() const { return model_.forest(); }
  ForestPredictor::Target target() { return {raw_.data(), forest().n_outputs, 1}; }

  Model model_;
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

BoostedTree tree_at(const Model& model, std::size_t iteration, std::size_t output) {
  const Forest& forest = model.forest();
  if (iteration >= forest.n_iterations() || output >= forest.n_outputs)
    throw nb::index_error("the model has no such tree");
  return {forest.trees[iteration * forest.n_outputs + output]};
}

OutArray<double> importances(const Model& model, const std::string& kind) {
  if (kind != "gain" && kind != "split")
    throw InputError("kind must be 'gain' or 'split', got '" + kind + "'");
  return to_numpy(model.forest().importances(kind == "gain"));
}

std::string bytes_of(const Model& model) { return to_bytes(model.forest()); }

Model model_from_bytes(std::string_view bytes) {
  return Model(forest_from_bytes(bytes));
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

BoostedTree tree_from_arrays(
    i64 n_features, const InVector<i64>& left, const InVector<i64>& right,
    const InVector<i64>& feature, const InVector<double>& threshold,
    const InVector<u8>& missing_left, const InVector<double>& value,
    const InVector<double>& gain, const InVector<i64>& n_samples,
    const InVector<double>& hessian, const std::optional<InVector<i64>>& category_end,
    const std::optional<InVector<i64>>& category_left) {
  auto tree = std::make_shared<Tree>();
  tree->n_features = n_features;
  tree->n_classes = {1};
  tree->children_left = copied(left);
  tree->children_right = copied(right);
  tree->feature = copied(feature);
  tree->threshold = copied(threshold);
  tree->missing_go_to_left = copied(missing_left);
  tree->value = copied(value);
  tree->gain = copied(gain);
  tree->n_node_samples = copied(n_samples);
  tree->weighted_n_node_samples = copied(hessian);
  if (category_end) tree->category_end = copied(*category_end);
  if (category_left) tree->category_left = copied(*category_left);
  check_tree(*tree);
  return {tree};
}

Model model_from_trees(u32 n_features, const InVector<double>& baseline,
                       const std::vector<BoostedTree>& trees) {
  Forest forest;
  forest.n_features = n_features;
  forest.n_outputs = static_cast<u32>(baseline.size());
  forest.baseline = copied(baseline);
  for (const auto& boosted : trees) forest.trees.push_back(boosted.tree);
  check_forest(forest);
  return Model(std::move(forest));
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
                   self)
      .def_static("from_arrays", tree_from_arrays, "n_features"_a, "children_left"_a,
                  "children_right"_a, "feature"_a, "threshold"_a,
                  "missing_go_to_left"_a, "value"_a, "gain"_a, "n_node_samples"_a,
                  "sum_hessian"_a, "category_end"_a.none() = nb::none(),
                  "category_left"_a.none() = nb::none());
}

}  // namespace

void register_boosting_model(nb::module_& m) {
  register_boosting_tree(m);
  nb::class_<StagedScores>(m, "StagedScores", "Iterator over the scores of a model.")
      .def("__iter__", [](nb::handle self) { return self; })
      .def("__next__", &StagedScores::next);
  nb::class_<Model> c(m, "BoostingModel", "Trees whose values add up to raw scores.");
  c.def_prop_ro("n_features",
                [](const Model& model) { return model.forest().n_features; })
      .def_prop_ro("n_outputs",
                   [](const Model& model) { return model.forest().n_outputs; })
      .def_prop_ro("n_iterations",
                   [](const Model& model) { return model.forest().n_iterations(); })
      .def_prop_ro(
          "baseline",
          [](const Model& model) {
            return to_numpy(std::vector<double>(model.forest().baseline));
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
      .def(
          "truncated",
          [](const Model& model, std::size_t n) {
            return Model(model.forest().truncated(n));
          },
          "n_iterations"_a)
      .def("feature_importances", importances, "kind"_a)
      .def_static("from_trees", model_from_trees, "n_features"_a, "baseline"_a,
                  "trees"_a);
  bind_pickled<Model, bytes_of, model_from_bytes>(c);
}

}  // namespace dpdtree::python
