// The arguments that every fitting function shares.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>
#include <variant>

#include "api/fit_tree.hpp"
#include "arrays.hpp"
#include "base/error.hpp"

namespace dpdtree::python {

using Weights = std::optional<InVector<double>>;

inline void check_length(const char* name, std::size_t length, std::size_t rows) {
  if (length != rows)
    throw InputError(std::string(name) + " has " + std::to_string(length) +
                     " entries, X has " + std::to_string(rows) + " rows");
}

// y holds int32 labels if n_classes > 0, float64 targets otherwise.
inline TrainingData training_data(const AnyMatrix& x, const nb::object& y,
                                  const Weights& weights, u32 n_classes) {
  TrainingData data;
  data.x = view_of(x);
  data.n_classes = n_classes;
  if (n_classes > 0) {
    const auto labels = nb::cast<InVector<i32>>(y, false);
    data.labels = {labels.data(), labels.shape(0)};
    check_length("y", labels.shape(0), data.x.rows);
  } else {
    const auto targets = nb::cast<InVector<double>>(y, false);
    data.y = {targets.data(), targets.shape(0)};
    check_length("y", targets.shape(0), data.x.rows);
  }
  if (weights) {
    check_length("sample_weight", weights->shape(0), data.x.rows);
    data.weights = weights->data();
  }
  return data;
}

}  // namespace dpdtree::python
