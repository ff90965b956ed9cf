// The table of losses, for Python.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "loss/registry.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace dpdtree::python {
namespace {

const char* name_of(Task task) {
  switch (task) {
    case Task::classification:
      return "classification";
    case Task::regression:
      return "regression";
  }
  return "";
}

const char* name_of(Domain domain) {
  switch (domain) {
    case Domain::any:
      return "any";
    case Domain::non_negative:
      return "non_negative";
    case Domain::positive:
      return "positive";
  }
  return "";
}

const char* name_of(Link link) {
  switch (link) {
    case Link::identity:
      return "identity";
    case Link::log:
      return "log";
    case Link::logit:
      return "logit";
  }
  return "";
}

}  // namespace

void register_losses(nb::module_& m) {
  nb::class_<LossInfo>(m, "LossInfo", "What is known of a loss.")
      .def_ro("name", &LossInfo::name)
      .def_prop_ro("task", [](const LossInfo& info) { return name_of(info.task); })
      .def_prop_ro("domain", [](const LossInfo& info) { return name_of(info.domain); })
      .def_prop_ro("link", [](const LossInfo& info) { return name_of(info.link); })
      .def_ro("proposes_splits", &LossInfo::proposes_splits)
      .def_ro("minimised_by_trees", &LossInfo::minimised_by_trees)
      .def_ro("provable", &LossInfo::provable)
      .def_ro("degree", &LossInfo::degree)
      .def_ro("label", &LossInfo::label)
      .def_ro("scorer", &LossInfo::scorer)
      .def_prop_ro("simple",
                   [](const LossInfo& info) { return info.simple != nullptr; })
      .def_prop_ro("monotone",
                   [](const LossInfo& info) { return info.excess != nullptr; })
      .def_prop_ro("boosted",
                   [](const LossInfo& info) { return info.boosted != nullptr; });
  m.def(
      "losses",
      [] {
        const auto table = loss_table();
        return std::vector<LossInfo>(table.begin(), table.end());
      },
      "The table of losses and criteria.");
}

}  // namespace dpdtree::python
