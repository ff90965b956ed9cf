// Where the GIL is released, and how Ctrl-C is noticed meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include "base/error.hpp"

namespace dpdtree::python {

// Called by the fitting thread every 20 ms, without the GIL.
inline bool interrupted() {
  nanobind::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

// The core knows no Python: other threads may run while it works. The arrays are kept
// alive by the arguments of the binding's call.
template <class Work>
auto without_gil(Work&& work) {
  try {
    nanobind::gil_scoped_release unlocked;
    return work();
  } catch (const Interrupted&) {
    throw nanobind::python_error();  // PyErr_CheckSignals has set it
  }
}

}  // namespace dpdtree::python
