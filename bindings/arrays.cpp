#include "arrays.hpp"

namespace dpdtree::python {
namespace {

DType dtype_of(const nb::dlpack::dtype& d) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(d.code);
  const auto is = [&](Code c, int bits) { return code == c && d.bits == bits; };
  if (is(Code::Float, 64)) return DType::f64;
  if (is(Code::Float, 32)) return DType::f32;
  if (is(Code::Int, 8)) return DType::i8;
  if (is(Code::Int, 16)) return DType::i16;
  if (is(Code::Int, 32)) return DType::i32;
  if (is(Code::Int, 64)) return DType::i64;
  if (is(Code::UInt, 8) || code == Code::Bool) return DType::u8;
  if (is(Code::UInt, 16)) return DType::u16;
  if (is(Code::UInt, 32)) return DType::u32;
  if (is(Code::UInt, 64)) return DType::u64;
  throw nb::type_error("X must be an array of float32, float64, integers or bool");
}

}  // namespace

MatrixView view_of(const AnyMatrix& x) {
  MatrixView view;
  view.data = static_cast<const std::byte*>(x.data());
  view.dtype = dtype_of(x.dtype());
  view.rows = x.shape(0);
  view.cols = x.shape(1);
  const auto item = static_cast<std::ptrdiff_t>(x.itemsize());
  view.row_stride = x.stride(0) * item;
  view.col_stride = x.stride(1) * item;
  return view;
}

}  // namespace dpdtree::python
