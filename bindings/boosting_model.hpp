// Parts of the boosting bindings that several files need.
#pragma once

#include "arrays.hpp"

namespace dpdtree::python {

void register_boosting_model(nb::module_& m);

}  // namespace dpdtree::python
