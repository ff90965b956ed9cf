// Parts of the boosting bindings that several files need.
#pragma once

#include "arrays.hpp"

namespace dpdtree::python {

void register_boosting_model(nb::module_& m);

// Hands a row-major vector over to NumPy as a matrix.
template <class T>
OutArray<T, 2> to_matrix(std::vector<T>&& values, std::size_t rows, std::size_t cols) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned,
                    [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutArray<T, 2>(owned->data(), {rows, cols}, owner);
}

}  // namespace dpdtree::python
