#include "base/error.hpp"
#include "register.hpp"

NB_MODULE(_core, m) {
  namespace py = dpdtree::python;
  // Objects that live until the interpreter ends are normal in scripts and notebooks.
  nanobind::set_leak_warnings(false);
  m.doc() = "The C++ core of dpdtree. Private: use the estimators.";
  nanobind::exception<dpdtree::FormatError>(m, "ModelFormatError", PyExc_ValueError);
  py::register_losses(m);
  py::register_params(m);
  py::register_tree(m);
  py::register_fit(m);
  py::register_alternatives(m);
  py::register_blocks(m);
  py::register_boosting(m);
  py::register_remote_boosting(m);
  py::register_remote_tree(m);
  py::register_stages(m);
  py::register_search_stages(m);
  py::register_tuning_stages(m);
  py::register_boosting_stages(m);
}
