#include "data/sort_keys.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <limits>

namespace dpdtree {
namespace {

// A pass of the sort reads one digit; two passes are worth a large table of counts.
constexpr u32 kMostBits = 32;  // a word holds a key and a row
constexpr u32 kBitsOfTwoPasses = 24;
constexpr u32 kSpareBits = 8;  // above those that number the rows

// Few enough neighbours share a key of so many bits if values are spread evenly.
u32 bits_for(std::size_t n) {
  const auto bits = static_cast<u32>(std::bit_width(n)) + kSpareBits;
  return bits <= kBitsOfTwoPasses + 2 ? std::min(bits, kBitsOfTwoPasses)
                                      : std::min(bits, kMostBits);
}

// Of a sample of the values, by the first bits of their keys.
template <class Key>
std::size_t n_told_apart(std::span<const double> values, Key key, u32 n_bits) {
  constexpr std::size_t kSample = 256;
  std::bitset<256> seen;
  const std::size_t step = std::max<std::size_t>(1, values.size() / kSample);
  for (std::size_t i = 0; i < values.size(); i += step)
    if (!std::isnan(values[i])) seen.set(key(values[i]) >> (n_bits - 8));
  return seen.count();
}

}  // namespace

void Spread::add(const Spread& o) {
  if (o.count == 0) return;
  min = count == 0 ? o.min : std::min(min, o.min);
  max = count == 0 ? o.max : std::max(max, o.max);
  bits |= o.bits;
  count += o.count;
}

Spread spread_of(std::span<const double> values) {
  constexpr std::size_t kLanes = 4;  // independent of one another
  const double inf = std::numeric_limits<double>::infinity();
  double min[kLanes], max[kLanes];
  u64 bits[kLanes] = {}, count[kLanes] = {};
  std::fill_n(min, kLanes, inf);
  std::fill_n(max, kLanes, -inf);
  const auto add = [&](std::size_t lane, double v) {
    min[lane] = v < min[lane] ? v : min[lane];  // false for NaN
    max[lane] = v > max[lane] ? v : max[lane];
    bits[lane] |= std::bit_cast<u64>(v);
    count[lane] += v == v;
  };
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(lane, values[i + lane]);
  for (; i < values.size(); ++i) add(0, values[i]);
  Spread all;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    all.add({min[lane], max[lane], bits[lane], count[lane]});
  return all;
}

SortKeys::SortKeys(std::span<const double> values, const Spread& spread) {
  if (spread.count == 0) return;
  min_ = spread.min;
  least_ = order_key(spread.min);
  const auto width = static_cast<u32>(std::bit_width(order_key(spread.max) - least_));
  // Bits that no value has tell nothing apart.
  const auto unused = std::min(static_cast<u32>(std::countr_zero(spread.bits)), width);
  exact_ = width - unused <= kBitsOfTwoPasses;
  shift_ = exact_ ? unused : std::max(width, kMostBits) - kMostBits;
  n_bits_ = width - shift_;
  if (exact_) return;
  exact_ = shift_ <= unused;
  const u32 wanted = bits_for(spread.count);
  const double range = spread.max - spread.min;
  scale_ = static_cast<double>((u64{1} << wanted) - 1) / range;
  linear_ = std::isfinite(range) && std::isfinite(scale_) &&
            n_told_apart(values, by_distance(), wanted) >=
                n_told_apart(values, by_bits(), n_bits_);
  if (!linear_) return;
  n_bits_ = wanted;
  exact_ = false;
}

}  // namespace dpdtree
