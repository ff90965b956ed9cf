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

// Read-only, over memory that the owner of the property keeps.
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;

template <class T, auto Member, class Owner>
View<T> view_array(const Owner& owner) {
  return View<T>((owner.*Member).data(), {(owner.*Member).size()});
}

// Throws TypeError for types other than bool, integers, float32 and float64.
MatrixView view_of(const AnyMatrix& x);

template <class T>
std::vector<T> copied(const InVector<T>& a) {
  return {a.data(), a.data() + a.size()};
}

// Hands a vector over to NumPy; it lives as long as the array.
template <class T, class Allocator>
OutArray<T> to_numpy(std::vector<T, Allocator>&& values) {
  using Owned = std::vector<T, Allocator>;
  auto* owned = new Owned(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  return OutArray<T>(owned->data(), {owned->size()}, owner);
}

// Hands a row-major vector over to NumPy as a matrix.
template <class T, class Allocator>
OutArray<T, 2> to_matrix(std::vector<T, Allocator>&& values, std::size_t rows,
                         std::size_t cols) {
  using Owned = std::vector<T, Allocator>;
  auto* owned = new Owned(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  return OutArray<T, 2>(owned->data(), {rows, cols}, owner);
}

}  // namespace dpdtree::python
