#include "loss/squared_error.hpp"

#include "loss/grid_sum.hpp"
#include "loss/registry.hpp"

namespace dpdtree {
namespace {

using boosting::LossInput;

class BoostedSquares : public boosting::Loss {
 public:
  std::vector<double> start(const boosting::StartSums& sums) const override {
    return {sums.mean()};
  }
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    for (std::size_t i = begin; i < end; ++i) {
      gradient[i] = static_cast<float>(in.raw[i] - in.y[i]);
      hessian[i] = 1.0f;
    }
  }
  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    return with_terms(in, [&](const auto& f) { return grid_sum(begin, end, f); });
  }
  double largest_loss(const LossInput& in) const override {
    return with_terms(in, [&](const auto& f) { return largest_term(0, in.n_rows, f); });
  }
  void add_losses(const LossInput& in, const Grid& grid,
                  FixedSum& total) const override {
    total.add_exactly(with_terms(
        in, [&](const auto& f) { return sum_on_grid(0, in.n_rows, grid, f); }));
  }

 private:
  template <class Use>
  static double with_terms(const LossInput& in, const Use& use) {
    const double *raw = in.raw, *y = in.y, *weight = in.weight;
    if (weight == nullptr)
      return use([=](std::size_t i) {
        const double d = raw[i] - y[i];
        return d * d / 2;
      });
    return use([=](std::size_t i) {
      const double d = raw[i] - y[i];
      return weight[i] * d * d / 2;
    });
  }
};

double simple(std::span<const double> moments) {
  return SquaredError::impurity_sum(moments);
}

double impurity(const Targets& t, std::span<const Row>, std::span<const double> stats) {
  return SquaredError::impurity_sum(stats, t.n_outputs);
}

double excess(double sum, double weight, double told) {
  const double mean = sum / weight;
  return weight * (mean - told) * (mean - told);
}

double row_cost(const Targets&, double y, double prediction) {
  return (y - prediction) * (y - prediction);
}

std::unique_ptr<boosting::Loss> boosted(const boosting::LossOptions&) {
  return std::make_unique<BoostedSquares>();
}

}  // namespace

LossInfo squared_error_info() {
  LossInfo info;
  info.proposes_splits = true;
  info.minimised_by_trees = true;
  info.provable = true;
  info.degree = 2;
  info.label = "training mean squared error";
  info.simple = simple;
  info.impurity = impurity;
  info.excess = excess;
  info.row_cost = row_cost;
  info.boosted = boosted;
  return info;
}

}  // namespace dpdtree
