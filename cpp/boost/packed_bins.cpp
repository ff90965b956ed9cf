#include "boost/packed_bins.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace dpdtree::boosting {
namespace {

// Bytes that hold every number, with its sign.
u32 width_of(const std::vector<i64>& values) {
  u64 bits = 0;
  for (const i64 v : values) bits |= static_cast<u64>(v < 0 ? ~v : v);
  return static_cast<u32>(std::bit_width(bits)) / 8 + 1;
}

// f(a constant of this width).
template <class F>
void with_width(u64 width, const F& f) {
  switch (width) {
    case 1:
      return f(std::integral_constant<u32, 1>{});
    case 2:
      return f(std::integral_constant<u32, 2>{});
    case 3:
      return f(std::integral_constant<u32, 3>{});
    case 4:
      return f(std::integral_constant<u32, 4>{});
    case 5:
      return f(std::integral_constant<u32, 5>{});
    case 6:
      return f(std::integral_constant<u32, 6>{});
    case 7:
      return f(std::integral_constant<u32, 7>{});
    case 8:
      return f(std::integral_constant<u32, 8>{});
    default:
      throw FormatError("bins of no known width");
  }
}

void write_plane(ByteWriter& out, const std::vector<i64>& values) {
  const u32 width = width_of(values);
  out.number(width);
  const std::size_t start = out.bytes.size();
  out.bytes.resize(start + values.size() * width);
  char* at = out.bytes.data() + start;
  with_width(width, [&]<u32 kWidth>(std::integral_constant<u32, kWidth>) {
    for (std::size_t i = 0; i < values.size(); ++i)
      std::memcpy(at + i * kWidth, &values[i], kWidth);
  });
}

std::vector<i64> read_plane(ByteReader& in, u64 n) {
  const u64 width = in.number();
  std::vector<char> bytes;
  if (width > sizeof(i64)) throw FormatError("bins of no known width");
  in.array(bytes, n * width);
  std::vector<i64> values(n);
  with_width(width, [&]<u32 kWidth>(std::integral_constant<u32, kWidth>) {
    constexpr u32 kUnused = 64 - 8 * kWidth;
    for (u64 i = 0; i < n; ++i) {
      u64 raw = 0;
      std::memcpy(&raw, bytes.data() + i * kWidth, kWidth);
      values[i] = static_cast<i64>(raw << kUnused) >> kUnused;  // with its sign
    }
  });
  return values;
}

void add(std::vector<i64>& to, const std::vector<i64>& from) {
  if (to.empty()) to.resize(from.size());
  if (to.size() != from.size())
    throw FormatError("histograms of partitions differ in size");
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

BinPlanes::BinPlanes(std::span<const Bin> bins, const Units& units) {
  const std::size_t n = bins.size() / units.bins_per_cell();
  for (std::vector<i64>* plane : {&gradient, &hessian, &count}) plane->resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const GradientSum sum = units.sum_of(&bins[i * units.bins_per_cell()]);
    gradient[i] = sum.gradient;
    hessian[i] = sum.hessian;
    count[i] = sum.count;
  }
}

BinPlanes& BinPlanes::operator+=(const BinPlanes& other) {
  add(gradient, other.gradient);
  add(hessian, other.hessian);
  add(count, other.count);
  return *this;
}

void BinPlanes::write(ByteWriter& out) const {
  out.number(gradient.size());
  for (const std::vector<i64>* plane : {&gradient, &hessian, &count})
    write_plane(out, *plane);
}

BinPlanes BinPlanes::read(ByteReader& in) {
  BinPlanes planes;
  const u64 n = in.count();
  for (std::vector<i64>* plane : {&planes.gradient, &planes.hessian, &planes.count})
    *plane = read_plane(in, n);
  return planes;
}

void BinPlanes::copy_to(std::span<Bin> bins, const Units& units) const {
  if (bins.size() != gradient.size() * units.bins_per_cell())
    throw FormatError("histograms of partitions differ in size");
  for (std::size_t i = 0; i < gradient.size(); ++i)
    units.put({gradient[i], hessian[i], count[i]}, &bins[i * units.bins_per_cell()]);
}

}  // namespace dpdtree::boosting
