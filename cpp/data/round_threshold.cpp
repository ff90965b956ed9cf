#include "data/round_threshold.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>

#include "base/types.hpp"
#include "data/single_precision.hpp"

namespace dpdtree {
namespace {

constexpr int kMostDigits = 17;  // these tell any two doubles apart
constexpr int kExactTens = 22;   // 10^22 is the last power of ten that is a double
constexpr std::array<double, kExactTens + 1> kTens = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct Range {
  double low, high;
  double middle = 0;

  Range(double from, double to) : low(from), high(to) {
    const double half = from / 2 + to / 2;
    middle = half >= from && half < to ? half : from;
  }
  bool contains(double v) const { return v >= low && v < high; }
  bool better(double a, double b) const {
    const double to_a = std::fabs(a - middle), to_b = std::fabs(b - middle);
    return to_a < to_b || (to_a == to_b && a < b);
  }
  // The best of these that is inside.
  std::optional<double> best(std::initializer_list<double> candidates) const {
    std::optional<double> found;
    for (const double v : candidates)
      if (contains(v) && (!found || better(v, *found))) found = v;
    return found;
  }
};

// Multiples of a power of ten next to the middle. Whole numbers below 2^53 and powers
// up to 10^22 are exact, so each result is the double its decimals stand for.
std::optional<double> next_multiples(const Range& range, int exponent) {
  const double ten = kTens[static_cast<std::size_t>(std::abs(exponent))];
  const bool fraction = exponent < 0;
  const double n = std::nearbyint(fraction ? range.middle * ten : range.middle / ten);
  const auto times = [&](double m) { return fraction ? m / ten : m * ten; };
  return range.best({times(n - 1), times(n), times(n + 1)});
}

// The decade of a number: the exponent of its first digit, up to rounding.
int decade_of(double v) { return static_cast<int>(std::floor(std::log10(v))); }

std::optional<double> by_arithmetic(const Range& range) {
  constexpr int kDigits = 15;  // 10^15 < 2^53
  const int first = decade_of(std::fabs(range.middle));
  for (int digits = 1; digits <= kDigits; ++digits) {
    const int exponent = first + 1 - digits;
    if (std::abs(exponent) > kExactTens) return std::nullopt;
    if (const auto found = next_multiples(range, exponent)) return found;
  }
  return std::nullopt;
}

// By the digits of the middle, for numbers that arithmetic would round.
double by_digits(const Range& range) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*e", kMostDigits - 1, std::fabs(range.middle));
  const double sign = range.middle < 0 ? -1 : 1;
  const char* exponent = std::find(text, text + sizeof text, 'e') + 1;
  const int first = static_cast<int>(std::strtol(exponent, nullptr, 10));
  u64 prefix = 0;
  int digits = 0;
  // No decimal point is written or read: it depends on the locale.
  for (const char* c = text; digits < kMostDigits; ++c) {
    if (*c < '0' || *c > '9') continue;
    prefix = 10 * prefix + static_cast<u64>(*c - '0');
    ++digits;
    const auto value = [&](u64 mantissa) {
      char decimals[40];
      std::snprintf(decimals, sizeof decimals, "%llue%d",
                    static_cast<unsigned long long>(mantissa), first + 1 - digits);
      return sign * std::strtod(decimals, nullptr);
    };
    if (const auto found = range.best({value(prefix), value(prefix + 1)}))
      return *found;
  }
  return range.middle;
}

}  // namespace

double roundest(double low, double high) {
  const Range range(low, high);
  if (range.contains(0)) return 0;
  const auto found = by_arithmetic(range);
  return found ? *found : by_digits(range);
}

double round_threshold(double low, double high) {
  if (!fits_single(low) || !fits_single(high)) return roundest(low, high);
  const double least = std::max(low, in_single(low));
  const double end = std::min(high, in_single(high));
  return least < end ? roundest(least, end) : roundest(low, high);
}

}  // namespace dpdtree
