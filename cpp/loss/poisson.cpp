#include "loss/poisson.hpp"
#include "base/exact_sum.hpp"

#include "loss/log_link.hpp"
#include "loss/registry.hpp"

namespace dpdtree {
namespace {

using boosting::LossInput;

class BoostedPoisson : public boosting::LogLink {
 public:
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    with_exponentials(in, begin, end, 1, [&](std::size_t i, double mean) {
      gradient[i] = static_cast<float>(mean - in.y[i]);
      hessian[i] = static_cast<float>(mean);
    });
  }
  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    ExactSum total;
    add(in, begin, end, [&](double loss) { total.add(loss); });
    return total.value();
  }
  void add_losses(const LossInput& in, const Grid&, FixedSum& total) const override {
    add(in, 0, in.n_rows, [&](double loss) { total.add_exactly(loss); });
  }

 private:
  template <class Add>
  static void add(const LossInput& in, std::size_t begin, std::size_t end,
                  const Add& add) {
    with_exponentials(in, begin, end, 1, [&](std::size_t i, double mean) {
      add(in.weight_of(i) * (mean - in.y[i] * in.raw[i]));
    });
  }
};

double impurity(const Targets& t, std::span<const Row>, std::span<const double> stats) {
  return Poisson::impurity_sum(stats, t.n_outputs);
}

double row_cost(const Targets&, double y, double prediction) {
  return Poisson::of(y, prediction);
}

std::unique_ptr<boosting::Loss> boosted(const boosting::LossOptions&) {
  return std::make_unique<BoostedPoisson>();
}

}  // namespace

LossInfo poisson_info() {
  LossInfo info;
  info.domain = Domain::non_negative;
  info.link = Link::log;
  info.proposes_splits = true;
  info.minimised_by_trees = true;
  info.label = "half the mean Poisson deviance of the training rows";
  info.scorer = "neg_mean_poisson_deviance";
  info.impurity = impurity;
  info.row_cost = row_cost;
  info.boosted = boosted;
  return info;
}

}  // namespace dpdtree
