// Bytes of a model as Python stores them: pickle, joblib, skops.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace dpdtree::python {

namespace nb = nanobind;

template <class T, std::string (*ToBytes)(const T&), T (*FromBytes)(std::string_view)>
struct Pickled {
  static nb::bytes to_bytes(const T& object) {
    const std::string bytes = ToBytes(object);
    return nb::bytes(bytes.data(), bytes.size());
  }
  static T from_bytes(const nb::bytes& bytes) {
    return FromBytes({bytes.c_str(), bytes.size()});
  }
  static void init(T* object, const nb::bytes& bytes) {
    new (object) T(from_bytes(bytes));
  }
  static void set_state(T& object, const nb::bytes& bytes) { init(&object, bytes); }
  static nb::tuple reduce(nb::handle_t<T> self) {
    const nb::bytes bytes = to_bytes(nb::cast<const T&>(self));
    return nb::make_tuple(self.type(), nb::make_tuple(bytes));
  }
};

// A class whose objects are what the constructor makes of their bytes. Pickles of the
// first versions have a state instead.
template <class T, std::string (*ToBytes)(const T&), T (*FromBytes)(std::string_view)>
void bind_pickled(nb::class_<T>& c) {
  using P = Pickled<T, ToBytes, FromBytes>;
  c.def("to_bytes", P::to_bytes)
      .def_static("from_bytes", P::from_bytes, nb::arg("data"))
      .def("__init__", P::init, nb::arg("data"))
      .def("__reduce__", P::reduce)
      .def("__setstate__", P::set_state);
}

}  // namespace dpdtree::python
