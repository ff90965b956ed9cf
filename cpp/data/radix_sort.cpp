// Least-significant-digit radix sort on the top 32 bits of the spread of the keys, then
// a repair of the few runs that differ only below: three passes whatever the values.
#include "data/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace dpdtree {
namespace {

constexpr u32 kDigitBits = 11;
constexpr u32 kBuckets = 1u << kDigitBits;

// A u64 that orders like the double.
u64 order_key(double value) {
  const u64 bits = std::bit_cast<u64>(value + 0.0);  // -0.0 → 0.0
  const u64 sign = 1ULL << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

struct KeyRange {
  u64 min = ~0ULL;
  u64 max = 0;
  std::size_t count = 0;
};

KeyRange key_range(const std::vector<double>& values) {
  KeyRange r;
  for (const double v : values) {
    if (std::isnan(v)) continue;
    const u64 key = order_key(v);
    r.min = std::min(r.min, key);
    r.max = std::max(r.max, key);
    ++r.count;
  }
  return r;
}

// Sorts words by their upper `bits` of the upper half.
void radix_passes(std::vector<u64>& words, u32 bits) {
  std::vector<u64> other(words.size());
  for (u32 done = 0; done < bits; done += kDigitBits) {
    const u32 shift = 32 + done;
    std::array<u32, kBuckets> start{};
    for (const u64 w : words) ++start[(w >> shift) & (kBuckets - 1)];
    u32 sum = 0;
    for (u32& s : start) {
      const u32 count = s;
      s = sum;
      sum += count;
    }
    for (const u64 w : words) other[start[(w >> shift) & (kBuckets - 1)]++] = w;
    words.swap(other);
  }
}

// Orders every run of equal truncated keys by the full values.
void repair_runs(std::vector<u32>& rows, const std::vector<u64>& words,
                 const std::vector<double>& values) {
  const std::size_t n = rows.size();
  const auto less = [&](u32 a, u32 b) { return values[a] < values[b]; };
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    bool sorted = true;
    while (end < n && (words[end] >> 32) == (words[begin] >> 32)) {
      sorted &= !less(rows[end], rows[end - 1]);
      ++end;
    }
    if (!sorted) {
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = rows.begin() + static_cast<std::ptrdiff_t>(end);
      std::stable_sort(first, last, less);
    }
    begin = end;
  }
}

}  // namespace

std::vector<u32> sorted_rows(const std::vector<double>& values) {
  const KeyRange range = key_range(values);
  std::vector<u64> words;
  words.reserve(range.count);
  const u32 spread = static_cast<u32>(std::bit_width(range.max - range.min));
  const u32 shift = spread > 32 ? spread - 32 : 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const u64 key = (order_key(values[i]) - range.min) >> shift;
    words.push_back(key << 32 | i);
  }
  if (range.count > 0) radix_passes(words, std::min(spread, 32u));
  std::vector<u32> rows(words.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<u32>(words[i]);
  if (shift > 0) repair_runs(rows, words, values);
  return rows;
}

}  // namespace dpdtree
