// The arguments that every fitting function shares.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <variant>

#include "api/fit_tree.hpp"
#include "arrays.hpp"
#include "base/error.hpp"
#include "blocks.hpp"

namespace dpdtree::python {

using Weights = std::optional<InVector<double>>;

inline void check_length(const char* name, std::size_t length, std::size_t rows) {
  if (length != rows)
    throw InputError(std::string(name) + " has " + std::to_string(length) +
                     " entries, X has " + std::to_string(rows) + " rows");
}

// 0 for regression; the number of classes, of each output if there are several.
using ClassCounts = std::variant<u32, std::vector<u32>>;

// One entry, or one per output, for each row of X.
template <class T>
std::span<const T> output_values(const nb::object& y, std::size_t rows,
                                 u32& n_outputs) {
  using Values = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
  const auto values = nb::cast<Values>(y, false);
  if (values.ndim() < 1 || values.ndim() > 2)
    throw InputError("y must have one or two dimensions");
  check_length("y", values.shape(0), rows);
  n_outputs = values.ndim() == 2 ? static_cast<u32>(values.shape(1)) : 1;
  return {values.data(), values.size()};
}

// y holds uint8 or int32 labels if there are classes, float64 targets otherwise.
inline TrainingData training_data(const AnyMatrix& x, const nb::object& y,
                                  const Weights& weights,
                                  const ClassCounts& n_classes) {
  TrainingData data;
  data.x = view_of(x);
  if (const u32* one = std::get_if<u32>(&n_classes))
    data.n_classes.assign(*one > 0 ? 1 : 0, *one);
  else
    data.n_classes = std::get<std::vector<u32>>(n_classes);
  if (data.n_classes.empty()) {
    data.y = output_values<double>(y, data.x.rows, data.n_outputs);
  } else {
    if (nb::isinstance<nb::ndarray<const u8>>(y))
      data.labels = output_values<u8>(y, data.x.rows, data.n_outputs);
    else
      data.labels = output_values<i32>(y, data.x.rows, data.n_outputs);
    check_length("n_classes", data.n_classes.size(), data.n_outputs);
  }
  if (weights) {
    check_length("sample_weight", weights->shape(0), data.x.rows);
    data.weights = weights->data();
  }
  return data;
}

// With X as `encode_columns` left it, if there is that.
inline void take_encoded(TrainingData& data, const EncodedColumns* encoded) {
  if (encoded == nullptr) return;
  check_length("encoded", encoded->x.shape(0), data.x.rows);
  data.encoded = &encoded->columns;
}

}  // namespace dpdtree::python
