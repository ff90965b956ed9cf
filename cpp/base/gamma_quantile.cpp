#include "base/gamma_quantile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dpdtree {
namespace {

constexpr int kMostTerms = 500;
constexpr int kMostSteps = 60;

// ln of the gamma function at degrees / 2. Not by std::lgamma, which writes to a
// variable that all threads share.
double log_gamma_of_half(u32 degrees) {
  const bool odd = degrees % 2 == 1;
  double log = odd ? 0.5 * std::log(std::numbers::pi) : 0.0;
  for (u32 twice = odd ? 1 : 2; twice < degrees; twice += 2)
    log += std::log(0.5 * twice);
  return log;
}

// The continued fraction of the upper incomplete gamma function over x^a exp(-x), by
// Lentz's method; x > a + 1.
double fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i <= kMostTerms; ++i) {
    const double term = -i * (i - a);
    b += 2;
    d = term * d + b;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = b + term / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-13) break;
  }
  return h;
}

}  // namespace

double gamma_quantile(u32 degrees, double log_level) {
  const double a = 0.5 * degrees, log_gamma = log_gamma_of_half(degrees);
  // A bound from above (Laurent and Massart 2000). The logarithm of the probability is
  // concave in x, so that Newton's steps come down to the root and never pass it.
  double x = a + std::sqrt(-log_level * degrees) - log_level;
  for (int i = 0; i < kMostSteps; ++i) {
    const double f = fraction(a, x);
    const double log_upper = a * std::log(x) - x - log_gamma + std::log(f);
    const double next = x - (log_level - log_upper) * x * f;
    if (std::fabs(next - x) < 1e-12 * x) return next;
    x = std::max(next, a + 1 + 1e-9);
  }
  return x;
}

}  // namespace dpdtree
