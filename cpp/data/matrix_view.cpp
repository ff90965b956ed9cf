#include "data/matrix_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
bool any_infinite(const std::byte* p, std::size_t n, std::ptrdiff_t stride) {
  if (stride == sizeof(double) && std::is_same_v<T, double>)
    return kernels().value.has_infinite_double(p, n);
  if (stride == sizeof(float) && std::is_same_v<T, float>)
    return kernels().value.has_infinite_float(p, n);
  bool found = false;
  for (std::size_t i = 0; i < n; ++i, p += stride)
    found |= std::fabs(load_as_double<T>(p)) == kInfinity;
  return found;
}

template <class T>
bool has_infinity(const MatrixView& x) {
  // Along the smaller stride, so that memory is read in order; at once if it is whole.
  const bool by_row = x.cols > 1 && (x.rows == 1 || x.col_stride <= x.row_stride);
  const std::size_t outer = by_row ? x.rows : x.cols;
  const std::size_t inner = by_row ? x.cols : x.rows;
  const std::ptrdiff_t outer_stride = by_row ? x.row_stride : x.col_stride;
  const std::ptrdiff_t inner_stride = by_row ? x.col_stride : x.row_stride;
  if (outer_stride == static_cast<std::ptrdiff_t>(inner) * inner_stride)
    return any_infinite<T>(x.data, outer * inner, inner_stride);
  for (std::size_t i = 0; i < outer; ++i) {
    const std::byte* p = x.data + static_cast<std::ptrdiff_t>(i) * outer_stride;
    if (any_infinite<T>(p, inner, inner_stride)) return true;
  }
  return false;
}

[[noreturn]] void refuse_infinity(std::size_t column) {
  throw InputError(
      "Input X contains infinity or a value too large for dtype('float64') in X[:, " +
      std::to_string(column) + "].");
}

MatrixView column_of(MatrixView x, std::size_t column) {
  x.data += static_cast<std::ptrdiff_t>(column) * x.col_stride;
  x.cols = 1;
  return x;
}

template <class T>
void read_column(const MatrixView& x, std::size_t column, std::size_t begin,
                 std::size_t end, double* out) {
  const std::byte* p = x.data + static_cast<std::ptrdiff_t>(begin) * x.row_stride +
                       static_cast<std::ptrdiff_t>(column) * x.col_stride;
  for (std::size_t i = begin; i < end; ++i, p += x.row_stride)
    *out++ = load_as_double<T>(p);
}

}  // namespace

bool has_infinity(const MatrixView& x) {
  return visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    if constexpr (std::is_floating_point_v<T>) return has_infinity<T>(x);
    return false;
  });
}

void check_finite(const MatrixView& x) {
  if (!has_infinity(x)) return;
  for (std::size_t c = 0; c < x.cols; ++c)
    if (has_infinity(column_of(x, c))) refuse_infinity(c);
}

void read_finite(const MatrixView& x, std::span<const u32> columns, std::size_t begin,
                 std::size_t end, std::span<double* const> out) {
  // Rows of a C-ordered matrix stay in the fastest cache until all have been read.
  constexpr std::size_t kCells = 1024;
  const std::size_t strip = std::clamp<std::size_t>(
      kCells / std::max<std::size_t>(1, columns.size()), 32, 128);
  for (std::size_t first = begin; first < end; first += strip) {
    const std::size_t last = std::min(first + strip, end);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double* to = out[c] + (first - begin);
      visit_dtype(x.dtype, [&](auto* tag) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
        read_column<T>(x, columns[c], first, last, to);
      });
      const auto* read = reinterpret_cast<const std::byte*>(to);
      if (any_infinite<double>(read, last - first, sizeof(double)))
        refuse_infinity(columns[c]);
    }
  }
}

}  // namespace dpdtree
