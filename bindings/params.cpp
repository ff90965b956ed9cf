#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "register.hpp"
#include "search/params.hpp"

namespace nb = nanobind;

namespace dpdtree::python {

void register_params(nb::module_& m) {
  nb::class_<ForcedSplit>(m, "ForcedSplit", "A split that the tree has to make.")
      .def(nb::init<>())
      .def_rw("feature", &ForcedSplit::feature)
      .def_rw("threshold", &ForcedSplit::threshold)
      .def_rw("by_category", &ForcedSplit::by_category)
      .def_rw("categories", &ForcedSplit::categories)
      .def_rw("missing_left", &ForcedSplit::missing_left)
      .def_rw("left", &ForcedSplit::left)
      .def_rw("right", &ForcedSplit::right)
      .def_rw("name", &ForcedSplit::name);

  nb::class_<TreeParams>(m, "TreeParams", "Checked and resolved parameters of a fit.")
      .def(nb::init<>())
      .def_rw("strategy", &TreeParams::strategy)
      .def_rw("generator", &TreeParams::generator)
      .def_rw("criterion", &TreeParams::criterion)
      .def_rw("loss", &TreeParams::loss)
      .def_rw("complexity", &TreeParams::complexity)
      .def_rw("cost_matrix", &TreeParams::cost_matrix)
      .def_rw("quantile", &TreeParams::quantile)
      .def_rw("alpha", &TreeParams::alpha)
      .def_rw("mdl", &TreeParams::mdl)
      .def_rw("price_scales", &TreeParams::price_scales)
      .def_rw("shrinkages", &TreeParams::shrinkages)
      .def_rw("noise_level", &TreeParams::noise_level)
      .def_rw("n_candidates", &TreeParams::n_candidates)
      .def_rw("max_depth", &TreeParams::max_depth)
      .def_rw("max_leaf_nodes", &TreeParams::max_leaf_nodes)
      .def_rw("min_samples_split", &TreeParams::min_samples_split)
      .def_rw("min_samples_leaf", &TreeParams::min_samples_leaf)
      .def_rw("min_weight_leaf", &TreeParams::min_weight_leaf)
      .def_rw("min_impurity_decrease", &TreeParams::min_impurity_decrease)
      .def_rw("max_features", &TreeParams::max_features)
      .def_rw("max_bins", &TreeParams::max_bins)
      .def_rw("categorical", &TreeParams::categorical)
      .def_rw("monotonic", &TreeParams::monotonic)
      .def_rw("interaction_groups", &TreeParams::interaction_groups)
      .def_rw("allowed_features", &TreeParams::allowed_features)
      .def_rw("feature_costs", &TreeParams::feature_costs)
      .def_rw("forced_splits", &TreeParams::forced_splits)
      .def_rw("hash_rows", &TreeParams::hash_rows)
      .def_rw("time_limit", &TreeParams::time_limit)
      .def_rw("stop_after_looks", &TreeParams::stop_after_looks)
      .def_rw("n_threads", &TreeParams::n_threads)
      .def_rw("seed", &TreeParams::seed)
      .def_rw("use_split_memo", &TreeParams::use_split_memo)
      .def_rw("use_state_memo", &TreeParams::use_state_memo)
      .def_rw("use_pruning", &TreeParams::use_pruning)
      .def_rw("most_exact_rows", &TreeParams::most_exact_rows)
      .def_rw("use_pair_search", &TreeParams::use_pair_search)
      .def_rw("use_bins", &TreeParams::use_bins)
      .def_rw("replay_nodes", &TreeParams::replay_nodes);
}

}  // namespace dpdtree::python
