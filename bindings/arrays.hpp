// NumPy arrays in and out, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

#include "base/types.hpp"
#include "data/matrix_view.hpp"

namespace dpdtree::python {

namespace nb = nanobind;

using AnyMatrix = nb::ndarray<nb::ndim<2>, nb::device::cpu, nb::ro>;
template <class T>
using InVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T, int N = 1>
using OutArray = nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig>;

// Throws TypeError for types other than bool, integers, float32 and float64.
MatrixView view_of(const AnyMatrix& x);

// Hands a vector over to NumPy; it lives as long as the array.
template <class T>
OutArray<T> to_numpy(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned,
                    [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return OutArray<T>(owned->data(), {owned->size()}, owner);
}

}  // namespace dpdtree::python
