#include "loss/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/types.hpp"

namespace dpdtree {
namespace {

constexpr double kMostWhole = 1ULL << 31;
constexpr double kExact = 1ULL << 53;

// Ratios of weights that were rounded after a multiplication: both are off by half a
// unit in the last place, and their quotient by another.
constexpr double kRatioRounding = 0x1p-50;
// Common denominators beyond these numbers would be found by chance.
constexpr u32 kMostDenominator = 4096;
constexpr double kMostNumerator = 1 << 24;

double largest_of(std::span<const double> w) {
  return *std::max_element(w.begin(), w.end());
}

// The place of the last set bit of a positive number.
int last_bit(double w) {
  int exponent = 0;
  const auto digits = static_cast<u64>(std::ldexp(std::frexp(w, &exponent), 53));
  return exponent - 53 + std::countr_zero(digits);
}

bool is_whole(double x) { return x == std::floor(x); }

// Divides by the greatest common divisor, and returns it.
double reduce(std::vector<double>& whole) {
  u64 divisor = 0;
  for (const double k : whole) {
    divisor = std::gcd(divisor, static_cast<u64>(k));
    if (divisor == 1) return 1;
  }
  for (double& k : whole) k /= static_cast<double>(divisor);
  return static_cast<double>(divisor);
}

// Weights that are multiples of one power of two, as whole numbers; empty if they are
// not.
std::vector<double> exact_ratios(std::span<const double> w, double largest,
                                 double& scale) {
  int last = std::numeric_limits<int>::max();
  for (const double x : w) {
    if (x > 0) last = std::min(last, last_bit(x));
    if (std::ldexp(largest, -last) > kExact) return {};
  }
  std::vector<double> out(w.begin(), w.end());
  for (double& x : out) x = std::ldexp(x, -last);
  const double divisor = reduce(out);
  scale = std::ldexp(divisor, last);
  return largest_of(out) <= kMostWhole && scale > 0 ? out : std::vector<double>{};
}

bool nearly_whole(double x) {
  return std::fabs(x - std::round(x)) <= kRatioRounding * x;
}

// The least number that makes all ratios whole, but for rounding; 0 if there is none.
u32 denominator_of(std::span<const double> w, double smallest) {
  u32 common = 1;
  for (const double x : w) {
    if (x == 0) continue;
    const double ratio = x / smallest * common;
    if (ratio > kMostNumerator) return 0;
    u32 q = 1;
    while (!nearly_whole(ratio * q))
      if (++q > kMostDenominator / common) return 0;
    common *= q;
  }
  return common;
}

// Weights such as .1, .3, .7, that were whole before a multiplication rounded them.
std::vector<double> rounded_ratios(std::span<const double> w, double& scale) {
  const double smallest = smallest_weight(w);
  const u32 denominator = denominator_of(w, smallest);
  if (denominator == 0) return {};
  std::vector<double> out(w.begin(), w.end());
  for (double& x : out) {
    x = x / smallest * denominator;
    if (!nearly_whole(x)) return {};
    x = std::round(x);
  }
  scale = smallest / denominator * reduce(out);
  return largest_of(out) <= kMostNumerator ? out : std::vector<double>{};
}

// To multiples of a power of two so large that no sum of them needs more than 53 bits;
// nothing if small weights would lose too many digits.
bool round_for_exact_sums(std::vector<double>& shares) {
  constexpr double kLeastSteps = 1ULL << 31;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double step = std::ldexp(1.0, std::ilogb(sum) + 1 - 52);
  if (smallest_weight(shares) < kLeastSteps * step) return false;
  for (double& x : shares) x = std::nearbyint(x / step) * step;
  return true;
}

std::vector<double> real_shares(std::span<const double> w, double largest,
                                double& scale, bool& exact) {
  std::vector<double> shares(w.begin(), w.end());
  for (double& x : shares) x /= largest;
  scale = largest;
  exact = round_for_exact_sums(shares);
  if (exact) return shares;
  scale = std::ldexp(1.0, std::ilogb(largest));
  std::copy(w.begin(), w.end(), shares.begin());
  for (double& x : shares) x /= scale;
  return shares;
}

}  // namespace

double smallest_weight(std::span<const double> weights) {
  double least = std::numeric_limits<double>::infinity();
  for (const double w : weights)
    if (w > 0) least = std::min(least, w);
  return least;
}

NormalizedWeights normalize_weights(std::span<const double> weights) {
  NormalizedWeights out;
  const double largest = weights.empty() ? 0 : largest_of(weights);
  if (largest == 0) return out;
  out.counts =
      largest <= kMostWhole && std::all_of(weights.begin(), weights.end(), is_whole);
  out.weight = exact_ratios(weights, largest, out.scale);
  if (out.weight.empty()) out.weight = rounded_ratios(weights, out.scale);
  out.whole = !out.weight.empty();
  if (out.whole)
    out.exact = std::accumulate(out.weight.begin(), out.weight.end(), 0.0) < kExact;
  else
    out.weight = real_shares(weights, largest, out.scale, out.exact);
  if (std::all_of(out.weight.begin(), out.weight.end(),
                  [](double w) { return w == 1 || w == 0; }))
    out.weight.clear();
  return out;
}

}  // namespace dpdtree
