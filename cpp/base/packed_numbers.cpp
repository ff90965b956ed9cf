#include "base/packed_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace dpdtree {
namespace {

constexpr int kNoUnit = std::numeric_limits<int>::max();
constexpr double kMostUnits = 0x1p62;

// Seven bits a byte, the lowest first; the eighth tells that more follow.
void put(ByteWriter& out, u64 v) {
  char bytes[10];
  std::size_t n = 0;
  for (; v >= 0x80; v >>= 7) bytes[n++] = static_cast<char>(v | 0x80);
  bytes[n++] = static_cast<char>(v);
  out.raw(bytes, n);
}

u64 take(ByteReader& in) {
  u64 v = 0;
  for (u32 shift = 0; shift < 70; shift += 7) {
    unsigned char byte = 0;
    in.raw(&byte, 1);
    if (shift < 64) v |= u64{byte & 0x7fu} << shift;
    if (byte < 0x80) return v;
  }
  throw FormatError("a packed number has no end");
}

// Signs move to the last bit.
u64 folded(i64 v) { return static_cast<u64>(v) << 1 ^ static_cast<u64>(v >> 63); }
i64 unfolded(u64 v) { return static_cast<i64>(v >> 1) ^ -static_cast<i64>(v & 1); }

// The place of the last set bit of a number that is not 0.
int last_bit(double v) {
  int exponent = 0;
  const auto digits =
      static_cast<u64>(std::ldexp(std::frexp(std::fabs(v), &exponent), 53));
  return exponent - 53 + std::countr_zero(digits);
}

// The largest power of two that all are multiples of; kNoUnit: the numbers are too far
// apart, or not finite.
int unit_of(std::span<const double> values) {
  int unit = kNoUnit;
  double largest = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) return kNoUnit;
    if (v == 0) continue;
    unit = std::min(unit, last_bit(v));
    largest = std::max(largest, std::fabs(v));
  }
  if (unit == kNoUnit) return 0;
  return std::ldexp(largest, -unit) < kMostUnits ? unit : kNoUnit;
}

constexpr std::size_t kNeighbours = 32;
constexpr u32 kFromZero = 0x40;  // added to the number of bits

}  // namespace

// A byte for the number of bits, the smallest unless it is 0, then what each has more.
void pack_counts(ByteWriter& out, std::span<const u32> values) {
  for (std::size_t begin = 0; begin < values.size(); begin += kNeighbours) {
    const auto some =
        values.subspan(begin, std::min(kNeighbours, values.size() - begin));
    const auto [least, most] = std::minmax_element(some.begin(), some.end());
    const auto width = static_cast<u32>(std::bit_width(*most - *least));
    const auto first = static_cast<char>(width + (*least == 0 ? kFromZero : 0));
    out.raw(&first, 1);
    if (*least != 0) put(out, *least);
    u64 bits = 0;
    u32 n_bits = 0;
    const auto flush = [&](u32 until) {
      for (; n_bits > until; n_bits -= std::min(n_bits, 8u), bits >>= 8) {
        const auto low = static_cast<char>(bits);
        out.raw(&low, 1);
      }
    };
    for (const u32 v : some) {
      bits |= u64{v - *least} << n_bits;
      n_bits += width;
      flush(7);
    }
    flush(0);
  }
}

void unpack_counts(ByteReader& in, std::span<u32> values) {
  for (std::size_t begin = 0; begin < values.size(); begin += kNeighbours) {
    const auto some =
        values.subspan(begin, std::min(kNeighbours, values.size() - begin));
    unsigned char first = 0;
    in.raw(&first, 1);
    const u32 width = first % kFromZero;
    if (width > 32) throw FormatError("packed counts are too wide");
    const u64 least = first < kFromZero ? take(in) : 0;
    const u64 mask = (u64{1} << width) - 1;
    u64 bits = 0;
    u32 n_bits = 0;
    for (u32& v : some) {
      for (; n_bits < width; n_bits += 8) {
        unsigned char byte = 0;
        in.raw(&byte, 1);
        bits |= u64{byte} << n_bits;
      }
      v = static_cast<u32>(least + (bits & mask));
      bits >>= width;
      n_bits -= width;
    }
  }
}

void pack(ByteWriter& out, std::span<const i64> values) {
  for (std::size_t i = 0; i < values.size();) {
    put(out, folded(values[i]));
    if (values[i++] != 0) continue;
    const std::size_t begin = i;
    while (i < values.size() && values[i] == 0) ++i;
    put(out, i - begin);
  }
}

void unpack(ByteReader& in, std::span<i64> values) {
  for (std::size_t i = 0; i < values.size();) {
    values[i] = unfolded(take(in));
    if (values[i++] != 0) continue;
    const u64 more = take(in);
    if (more > values.size() - i)
      throw FormatError("a run of packed zeros is too long");
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(i), more, 0);
    i += more;
  }
}

void pack(ByteWriter& out, std::span<const double> values) {
  const int unit = unit_of(values);
  put(out, folded(unit));
  if (unit == kNoUnit) return out.raw(values.data(), values.size_bytes());
  std::vector<i64> whole(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    whole[i] = static_cast<i64>(std::ldexp(values[i], -unit));
  pack(out, whole);
}

void unpack(ByteReader& in, std::span<double> values) {
  const i64 unit = unfolded(take(in));
  if (unit == kNoUnit) return in.raw(values.data(), values.size_bytes());
  if (unit < -5000 || unit > 5000) throw FormatError("a packed unit is out of range");
  std::vector<i64> whole(values.size());
  unpack(in, whole);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(static_cast<double>(whole[i]), static_cast<int>(unit));
}

}  // namespace dpdtree
