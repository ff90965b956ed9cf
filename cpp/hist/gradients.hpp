// Derivatives of all rows, and their whole-number form for one tree.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "loss/boosting_loss.hpp"
#include "simd/gradient_bin.hpp"

namespace dpdtree::boosting {

class Gradients {
 public:
  Gradients(std::size_t n_rows, u32 n_outputs)
      : n_rows_(n_rows),
        gradient_(n_rows * n_outputs, 0.0f),
        hessian_(n_rows * n_outputs, 0.0f) {}

  void compute(const Loss& loss, const LossInput& in, ThreadPool& pool);
  // The same; returns the weighted sum of the loss.
  double compute_with_loss(const Loss& loss, const LossInput& in) {
    return loss.sum_and_gradients(in, gradient_.data(), hessian_.data());
  }
  // Derivatives from outside, row-major. Throws InputError unless all are finite and
  // every hessian is >= 0.
  void set(std::span<const double> gradient, std::span<const double> hessian,
           u32 n_outputs);

  std::span<const float> gradient(u32 output) const {
    return {gradient_.data() + output * n_rows_, n_rows_};
  }
  std::span<const float> hessian(u32 output) const {
    return {hessian_.data() + output * n_rows_, n_rows_};
  }

 private:
  std::size_t n_rows_;
  std::vector<float> gradient_;
  std::vector<float> hessian_;
};

// Derivatives of all rows; weights: null for all 1.
struct Slopes {
  std::span<const float> gradient;
  std::span<const float> hessian;
  const double* weights = nullptr;
};

// Of some rows; those of several sets of rows: the larger ones, and the sum.
struct Largest {
  float gradient = 0;
  float hessian = 0;
  double weight = 0;
  std::size_t n_rows = 0;
  bool weighted = false;
};

Largest largest_of(const Slopes& slopes, std::span<const Row> rows, ThreadPool& pool);

// Powers of two so fine that every possible sum of weighted gradients is exact. Packed
// cells leave hessians few bits above 2^22 rows, and none above 2^28 (wide: 2^31).
// Throws InputError if there are none.
Units units_for(const Largest& largest, bool wide);

// Writes the weighted gradients of the given rows as multiples of the units. A row of
// weight 3 counts to the last bit as three rows do, as long as there are fewer than
// 2^16 rows and weights are whole numbers below 16.
void quantize(const Slopes& slopes, std::span<const Row> rows, const Units& units,
              RowGradient* out, ThreadPool& pool);

}  // namespace dpdtree::boosting
