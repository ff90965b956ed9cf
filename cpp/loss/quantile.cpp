// The losses of quantiles, and of the median: absolute error.
#include "loss/grid_sum.hpp"
#include "loss/registry.hpp"

namespace dpdtree {
namespace {

using boosting::LossInput;

// scale · quantile loss; the absolute error is twice that of the median. It is flat
// almost everywhere: the hessian is set to 1 for the search, and leaves are set to the
// quantile of their residuals afterwards.
class BoostedQuantile : public boosting::Loss {
  auto term_of(const LossInput& in) const {
    return [this, in](std::size_t i) {
      const double d = in.y[i] - in.raw[i];
      return in.weight_of(i) * scale_ * (d >= 0 ? quantile_ * d : (quantile_ - 1) * d);
    };
  }

 public:
  BoostedQuantile(double quantile, double scale) : quantile_(quantile), scale_(scale) {}

  // Sums of weights depend on no order; and there is one zero, not two.
  std::vector<double> baseline(const LossInput& in) const override {
    double top = 0;
    std::size_t n_usable = 0;
    for (std::size_t i = 0; i < in.n_rows; ++i) {
      top = std::max(top, in.weight_of(i));
      n_usable += in.weight_of(i) > 0 ? 1 : 0;
    }
    const Grid grid(in.weight != nullptr ? top : 0, n_usable);
    std::vector<std::pair<double, double>> values;
    values.reserve(n_usable);
    for (std::size_t i = 0; i < in.n_rows; ++i)
      if (in.weight_of(i) > 0)
        values.emplace_back(in.y[i] + 0.0, grid(in.weight_of(i)));
    return {boosting::weighted_quantile(std::move(values), quantile_)};
  }
  std::vector<double> start(const boosting::StartSums&) const override { return {0}; }
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    for (std::size_t i = begin; i < end; ++i) {
      const double slope = in.y[i] >= in.raw[i] ? -quantile_ : 1 - quantile_;
      gradient[i] = static_cast<float>(scale_ * slope);
      hessian[i] = 1.0f;
    }
  }
  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    return grid_sum(begin, end, term_of(in));
  }
  double largest_loss(const LossInput& in) const override {
    return largest_term(0, in.n_rows, term_of(in));
  }
  void add_losses(const LossInput& in, const Grid& grid,
                  FixedSum& total) const override {
    total.add_exactly(sum_on_grid(0, in.n_rows, grid, term_of(in)));
  }
  double leaf_quantile() const override { return quantile_; }

 private:
  double quantile_;
  double scale_;
};

Pinball of_median(const Targets&) { return {0.5, 2}; }
Pinball of_quantile(const Targets& t) { return {t.quantile, 1}; }

using PinballOf = Pinball (*)(const Targets&);

template <PinballOf Of>
double impurity(const Targets& t, std::span<const Row> rows, std::span<const double>) {
  return Of(t).impurity_sum(t, rows);
}

template <PinballOf Of>
double row_cost(const Targets& t, double y, double prediction) {
  return Of(t).of(y, prediction);
}

template <PinballOf Of>
LossInfo shared_info() {
  LossInfo info;
  info.mdl = MdlRule::noise;
  info.proposes_splits = true;
  info.minimised_by_trees = true;
  info.impurity = impurity<Of>;
  info.row_cost = row_cost<Of>;
  info.pinball = Of;
  return info;
}

}  // namespace

LossInfo absolute_error_info() {
  LossInfo info = shared_info<of_median>();
  info.label = "training mean absolute error";
  info.scorer = "neg_mean_absolute_error";
  info.boosted = [](const boosting::LossOptions&) -> std::unique_ptr<boosting::Loss> {
    return std::make_unique<BoostedQuantile>(0.5, 2.0);
  };
  return info;
}

LossInfo quantile_info() {
  LossInfo info = shared_info<of_quantile>();
  info.label = "training quantile loss";
  info.scorer = "mean_pinball_loss";
  info.boosted = [](const boosting::LossOptions& o) -> std::unique_ptr<boosting::Loss> {
    return std::make_unique<BoostedQuantile>(o.quantile, 1.0);
  };
  return info;
}

}  // namespace dpdtree
