// What boosting minimises: first and second derivatives by the raw score, the constant
// to start from, and (for some losses) the best constant of a leaf.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exact_sum.hpp"
#include "base/types.hpp"

namespace dpdtree::boosting {

// Raw scores of output k: raw[k * n_rows + row]; gradients likewise.
struct LossInput {
  const double* raw = nullptr;
  const double* y = nullptr;
  const double* weight = nullptr;  // or null: all 1
  std::size_t n_rows = 0;

  double weight_of(std::size_t row) const { return weight ? weight[row] : 1.0; }
};

// Sums over rows that the constants to start from follow from; they add up over blocks.
struct StartSums {
  ExactSum weight;
  std::vector<ExactSum> terms;  // of weighted targets, or of the weight of each class

  void add_weights(const LossInput& in);
  double mean() const;
  StartSums& operator+=(const StartSums& other);
  void write(ByteWriter& out) const;
  static StartSums read(ByteReader& in);
};

class Loss {
 public:
  virtual ~Loss() = default;

  virtual u32 n_outputs() const { return 1; }

  // One constant per output; `in.raw` is not used.
  virtual std::vector<double> baseline(const LossInput& in) const;
  // The same from sums over blocks of rows; not where leaves have quantiles.
  virtual void add_start(const LossInput& in, StartSums& sums) const;
  virtual std::vector<double> start(const StartSums& sums) const = 0;

  // Of rows begin … end-1, each as if its weight were 1.
  virtual void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                         float* gradient, float* hessian) const = 0;

  // Weighted sum over rows begin … end-1; the order of the rows does not change it.
  virtual double sum(const LossInput& in, std::size_t begin, std::size_t end) const = 0;

  // The same for blocks of rows, whose totals add up. Losses that are summed on a grid
  // need the largest of all blocks first; others have none.
  virtual double largest_loss(const LossInput&) const { return 0; }
  virtual void add_losses(const LossInput& in, const Grid& grid,
                          FixedSum& total) const = 0;

  // Both of all rows: what they have in common is computed once.
  virtual double sum_and_gradients(const LossInput& in, float* gradient,
                                   float* hessian) const {
    const double total = sum(in, 0, in.n_rows);
    gradients(in, 0, in.n_rows, gradient, hessian);
    return total;
  }

  // The quantile of the residuals that is a leaf's best constant; < 0: leaves keep
  // their Newton step.
  virtual double leaf_quantile() const { return -1; }
};

struct LossOptions {
  u32 n_classes = 0;  // of log_loss; the number of outputs of a custom loss
  double quantile = 0.5;
};

// The caller brings the derivatives.
inline constexpr std::string_view kCustomLoss = "custom";
std::unique_ptr<Loss> custom_loss(u32 n_outputs);

// By its name in the table of losses (registry.hpp), or a custom one; throws InputError
// for a name that is none of them.
std::unique_ptr<Loss> make_loss(std::string_view name, const LossOptions& options);

// The smallest value with at least this share of the weight at or below it.
double weighted_quantile(std::vector<std::pair<double, double>> value_and_weight,
                         double quantile);

// Sums without rounding: no order of the rows changes them.
double total_weight(const LossInput& in);

}  // namespace dpdtree::boosting
