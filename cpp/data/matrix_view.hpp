// A borrowed, strided, read-only matrix of any numeric type.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/types.hpp"

namespace dpdtree {

enum class DType { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

struct MatrixView {
  const std::byte* data = nullptr;
  DType dtype = DType::f64;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::ptrdiff_t row_stride = 0;  // in bytes
  std::ptrdiff_t col_stride = 0;
};

// Calls f with a null pointer of the element type: f(static_cast<const T*>(nullptr)).
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32:
      return f(static_cast<const float*>(nullptr));
    case DType::f64:
      return f(static_cast<const double*>(nullptr));
    case DType::i8:
      return f(static_cast<const std::int8_t*>(nullptr));
    case DType::i16:
      return f(static_cast<const std::int16_t*>(nullptr));
    case DType::i32:
      return f(static_cast<const i32*>(nullptr));
    case DType::i64:
      return f(static_cast<const i64*>(nullptr));
    case DType::u8:
      return f(static_cast<const u8*>(nullptr));
    case DType::u16:
      return f(static_cast<const u16*>(nullptr));
    case DType::u32:
      return f(static_cast<const u32*>(nullptr));
    case DType::u64:
      break;
  }
  return f(static_cast<const u64*>(nullptr));
}

// Every value is compared as a double, in training and in prediction alike, so that
// integers beyond 2^53 fall on the same side in both.
template <class T>
double load_as_double(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));  // NumPy views may be unaligned
  return static_cast<double>(value);
}

// The value in this row of a matrix of one column.
inline double load(const MatrixView& column, std::size_t row) {
  const std::byte* p =
      column.data + static_cast<std::ptrdiff_t>(row) * column.row_stride;
  return visit_dtype(column.dtype, [&](auto* tag) {
    return load_as_double<std::remove_const_t<std::remove_pointer_t<decltype(tag)>>>(p);
  });
}

// Rows [begin, end).
inline MatrixView rows_of(MatrixView x, std::size_t begin, std::size_t end) {
  x.data += static_cast<std::ptrdiff_t>(begin) * x.row_stride;
  x.rows = end - begin;
  return x;
}

bool has_infinity(const MatrixView& x);
// Throws InputError if X holds an infinite value.
void check_finite(const MatrixView& x);

// Rows [begin, end) of some columns as doubles, each column to a buffer of its own.
// Throws InputError for infinite values.
void read_finite(const MatrixView& x, std::span<const u32> columns, std::size_t begin,
                 std::size_t end, std::span<double* const> out);

}  // namespace dpdtree
