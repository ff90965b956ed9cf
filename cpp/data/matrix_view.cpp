#include "data/matrix_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/error.hpp"

namespace dpdtree {
namespace {

template <class T>
bool has_infinity(const MatrixView& x) {
  // Along the smaller stride, so that memory is read in order.
  const bool by_row = x.col_stride <= x.row_stride;
  const std::size_t outer = by_row ? x.rows : x.cols;
  const std::size_t inner = by_row ? x.cols : x.rows;
  const std::ptrdiff_t outer_stride = by_row ? x.row_stride : x.col_stride;
  const std::ptrdiff_t inner_stride = by_row ? x.col_stride : x.row_stride;
  for (std::size_t i = 0; i < outer; ++i) {
    const std::byte* p = x.data + static_cast<std::ptrdiff_t>(i) * outer_stride;
    double largest = 0;
    for (std::size_t j = 0; j < inner; ++j, p += inner_stride) {
      const double a = std::fabs(load_as_double<T>(p));
      largest = a > largest ? a : largest;  // NaN compares false
    }
    if (largest == std::numeric_limits<double>::infinity()) return true;
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

bool has_infinity(std::span<const double> values) {
  u64 found = 0;  // as wide as a value, so that several are compared at a time
  for (const double v : values)
    found |= std::fabs(v) == std::numeric_limits<double>::infinity() ? 1 : 0;
  return found != 0;
}

}  // namespace

void check_finite(const MatrixView& x) {
  visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    if constexpr (std::is_floating_point_v<T>) {
      if (!has_infinity<T>(x)) return;
      for (std::size_t c = 0; c < x.cols; ++c)
        if (has_infinity<T>(column_of(x, c))) refuse_infinity(c);
    }
  });
}

void read_finite(const MatrixView& x, std::span<const u32> columns, std::size_t begin,
                 std::size_t end, std::span<double* const> out) {
  constexpr std::size_t kStrip = 128;  // rows of a C-ordered matrix stay in the cache
  for (std::size_t first = begin; first < end; first += kStrip) {
    const std::size_t last = std::min(first + kStrip, end);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double* to = out[c] + (first - begin);
      visit_dtype(x.dtype, [&](auto* tag) {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
        read_column<T>(x, columns[c], first, last, to);
      });
      if (has_infinity({to, last - first})) refuse_infinity(columns[c]);
    }
  }
}

}  // namespace dpdtree
