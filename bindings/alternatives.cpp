#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>

#include "blocks.hpp"
#include "interrupt.hpp"
#include "register.hpp"
#include "training_data.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpdtree::python {
namespace {

AlternativesResult search(const AnyMatrix& x, const nb::object& y,
                          const Weights& weights, const ClassCounts& n_classes,
                          const TreeParams& params, const std::vector<u32>& k,
                          const std::vector<u32>& k_elsewhere, bool tree_is_given,
                          const EncodedColumns* encoded) {
  TrainingData data = training_data(x, y, weights, n_classes);
  take_encoded(data, encoded);
  const AlternativesParams wanted{k, k_elsewhere, tree_is_given};
  FitHooks hooks;
  hooks.interrupt = [](const Heartbeat&) { return interrupted(); };
  return without_gil([&] { return find_alternatives(data, params, wanted, hooks); });
}

// One entry per state.
template <class T, class Get>
OutArray<T> of_states(const AlternativesResult& r, const Get& get) {
  std::vector<T> out;
  out.reserve(r.states.size());
  for (const StateRecord& state : r.states) out.push_back(static_cast<T>(get(state)));
  return to_numpy(std::move(out));
}

// One entry per action, those of a state together.
template <class T, class Get>
OutArray<T> of_actions(const AlternativesResult& r, const Get& get) {
  std::vector<T> out;
  for (const StateRecord& state : r.states)
    for (const ActionRecord& action : state.actions)
      out.push_back(static_cast<T>(get(action)));
  return to_numpy(std::move(out));
}

void add_worth(nb::dict& out, const std::string& prefix, const auto& column) {
  const auto put = [&](const char* name, auto array) {
    out[(prefix + name).c_str()] = array;
  };
  put("loss", column(&Worth::loss));
  put("complexity", column(&Worth::complexity));
  put("feature_cost", column(&Worth::feature_cost));
  put("objective", column(&Worth::objective));
}

nb::dict states_of(const AlternativesResult& r) {
  using S = StateRecord;
  nb::dict out;
  out["depth"] = of_states<i64>(r, [](const S& s) { return s.depth; });
  out["n_rows"] = of_states<i64>(r, [](const S& s) { return s.n_rows; });
  out["weight"] = of_states<double>(r, [](const S& s) { return s.weight; });
  out["impurity"] = of_states<double>(r, [](const S& s) { return s.impurity; });
  out["stops"] = of_states<u8>(r, [](const S& s) { return s.stops; });
  out["n_leaves"] = of_states<i64>(r, [](const S& s) { return s.best.n_leaves; });
  out["n_actions"] = of_states<i64>(r, [](const S& s) { return s.actions.size(); });
  add_worth(out, "leaf_", [&](double Worth::* member) {
    return of_states<double>(r, [=](const S& s) { return s.leaf.*member; });
  });
  add_worth(out, "", [&](double Worth::* member) {
    return of_states<double>(r, [=](const S& s) { return s.best.*member; });
  });
  std::vector<double> value;
  for (const S& s : r.states) value.insert(value.end(), s.value.begin(), s.value.end());
  const std::size_t width = r.states[0].value.size();
  out["value"] = to_matrix(std::move(value), r.states.size(), width);
  return out;
}

nb::dict actions_of(const AlternativesResult& r) {
  using A = ActionRecord;
  nb::dict out;
  out["feature"] = of_actions<i64>(r, [](const A& a) { return a.feature; });
  out["threshold"] = of_actions<double>(r, [](const A& a) { return a.threshold; });
  out["missing_left"] = of_actions<u8>(r, [](const A& a) { return a.missing_left; });
  out["left"] = of_actions<i64>(r, [](const A& a) { return a.left; });
  out["right"] = of_actions<i64>(r, [](const A& a) { return a.right; });
  out["n_leaves"] = of_actions<i64>(r, [](const A& a) { return a.worth.n_leaves; });
  add_worth(out, "", [&](double Worth::* member) {
    return of_actions<double>(r, [=](const A& a) { return a.worth.*member; });
  });
  nb::list categories;
  for (const StateRecord& state : r.states)
    for (const A& action : state.actions) {
      if (action.categories.empty() && !std::isnan(action.threshold))
        categories.append(nb::none());
      else
        categories.append(nb::cast(action.categories));
    }
  out["categories_left"] = categories;
  return out;
}

}  // namespace

void register_alternatives(nb::module_& m) {
  nb::class_<AlternativesResult, SearchReport>(m, "AlternativesResult",
                                               "States, actions, and their worth.")
      .def_prop_ro("state_arrays", states_of)
      .def_prop_ro("action_arrays", actions_of)
      .def_prop_ro("price_scale",
                   [](const AlternativesResult& r) { return r.tuned.price_scale; })
      .def_prop_ro("shrinkage",
                   [](const AlternativesResult& r) { return r.tuned.shrinkage; });
  m.def("find_alternatives", &search, "X"_a, "y"_a, "sample_weight"_a.none(),
        "n_classes"_a, "params"_a, "k"_a, "k_elsewhere"_a = std::vector<u32>(),
        "tree_is_given"_a = false, "encoded"_a = nb::none(),
        "The k best splits of the states by depth, with their best completions.");
}

}  // namespace dpdtree::python
