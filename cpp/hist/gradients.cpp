#include "hist/gradients.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace dpdtree::boosting {
namespace {

// Whole numbers below 2^26 times weights below 2^4 fit a row's 32 bits. Derivatives are
// rounded before they are weighted, so that weights repeat rows exactly.
constexpr u32 kSlopeBits = 26;
constexpr u32 kWeightBits = 4;
// Doubles hold sums below 2^50 with a sign; a packed cell has so many bits for hessians
// and the number of rows.
constexpr u32 kSumBits = 50;
constexpr u32 kMassBits = 62;
// With fewer, hessians would hardly tell leaves apart.
constexpr u32 kLeastHessianBits = 6;

// Squares of sums would not be finite. NaN is no better.
constexpr double kTooLarge = std::numeric_limits<float>::max();

// The power of two by which the largest value becomes a number of `bits` bits.
double scale_for(double largest, u32 bits) {
  if (!(largest > 0)) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);  // largest < 2^exponent
  // What is tiny beyond that rounds to 0.
  return std::ldexp(1.0, std::min(static_cast<int>(bits) - exponent, 500));
}

// To the nearest whole number (halves to even), |x| < 2^31.
i32 nearest(double x) {
  return static_cast<i32>(std::bit_cast<i64>(x + 6755399441055744.0));
}

}  // namespace

Largest largest_of(const Slopes& s, std::span<const Row> rows, ThreadPool& pool) {
  std::vector<Largest> parts(n_pieces(&pool, rows.size()));
  for_pieces(&pool, rows.size(), parts.size(),
             [&](std::size_t begin, std::size_t end, std::size_t piece) {
               Largest top;
               for (std::size_t i = begin; i < end; ++i) {
                 const float g = std::fabs(s.gradient[rows[i]]);
                 const float h = s.hessian[rows[i]];
                 top.gradient = g > top.gradient ? g : top.gradient;
                 top.hessian = h > top.hessian ? h : top.hessian;
               }
               for (std::size_t i = begin; s.weights != nullptr && i < end; ++i)
                 top.weight = std::max(top.weight, s.weights[rows[i]]);
               parts[piece] = top;
             });
  Largest top;
  for (const Largest& p : parts) {
    top.gradient = std::max(top.gradient, p.gradient);
    top.hessian = std::max(top.hessian, p.hessian);
    top.weight = std::max(top.weight, p.weight);
  }
  top.n_rows = rows.size();
  top.weighted = s.weights != nullptr;
  return top;
}

void Gradients::compute(const Loss& loss, const LossInput& in, ThreadPool& pool) {
  for_pieces(&pool, n_rows_, n_pieces(&pool, n_rows_),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               loss.gradients(in, begin, end, gradient_.data(), hessian_.data());
             });
}

void Gradients::set(std::span<const double> gradient, std::span<const double> hessian,
                    u32 n_outputs) {
  const std::size_t n = n_rows_ * n_outputs;
  if (gradient.size() != n || hessian.size() != n)
    throw InputError("gradient and hessian must have " + std::to_string(n) +
                     " entries each");
  for (std::size_t i = 0; i < n; ++i) {
    const auto g = static_cast<float>(gradient[i]);
    const auto h = static_cast<float>(hessian[i]);
    if (!std::isfinite(g)) throw InputError("gradient contains NaN or infinity");
    if (!std::isfinite(h)) throw InputError("hessian contains NaN or infinity");
    if (h < 0) throw InputError("hessian contains negative values");
    const std::size_t at = i % n_outputs * n_rows_ + i / n_outputs;
    gradient_[at] = g;
    hessian_[at] = h;
  }
}

Units units_for(const Largest& largest, bool wide) {
  const double weight = largest.weighted ? largest.weight : 1;
  const double slope = std::max(largest.gradient, largest.hessian);
  if (!(slope < kTooLarge))
    throw InputError(
        "the loss has no finite derivatives any more: learning_rate is too large, or y"
        " is too far spread");
  if (!(slope * weight < kTooLarge))
    throw InputError(
        "sample_weight is too large: derivatives times weights exceed 3e38");
  const auto count_bits = static_cast<u32>(std::bit_width(largest.n_rows));
  const u32 taken = largest.weighted ? kWeightBits : 0;
  // A packed mass has 62 bits for the hessians of all rows and their number.
  const u32 sum_bits = wide ? kSumBits : kMassBits - count_bits;
  if (count_bits + taken + kLeastHessianBits > sum_bits)
    throw InputError("a boosted tree cannot take so many rows (" +
                     std::to_string(largest.n_rows) +
                     "): set subsample, so that it draws fewer");
  Units units;
  units.count_bits = wide ? 0 : count_bits;
  const u32 g_bits = std::min(kSlopeBits, kSumBits - count_bits - taken);
  const u32 h_bits = std::min(kSlopeBits, sum_bits - count_bits - taken);
  units.weight = largest.weighted ? 1 / scale_for(largest.weight, kWeightBits) : 1;
  units.gradient = 1 / scale_for(largest.gradient, g_bits) * units.weight;
  units.hessian = 1 / scale_for(largest.hessian, h_bits) * units.weight;
  return units;
}

void quantize(const Slopes& slopes, std::span<const Row> rows, const Units& units,
              RowGradient* out, ThreadPool& pool) {
  // Powers of two: dividing by them is exact.
  const double g_scale = units.weight / units.gradient;
  const double h_scale = units.weight / units.hessian;
  const double w_scale = 1 / units.weight;
  const bool weighted = slopes.weights != nullptr;
  const auto write = [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i)
      out[i] = {nearest(slopes.gradient[rows[i]] * g_scale),
                nearest(slopes.hessian[rows[i]] * h_scale)};
    for (std::size_t i = begin; weighted && i < end; ++i) {
      const double w = slopes.weights[rows[i]] * w_scale;
      out[i] = {nearest(out[i].gradient * w), nearest(out[i].hessian * w)};
    }
  };
  for_pieces(&pool, rows.size(), n_pieces(&pool, rows.size()), write);
}

}  // namespace dpdtree::boosting
