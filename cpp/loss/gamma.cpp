// The gamma deviance, for boosting only: y is a positive amount, the score the
// logarithm of its mean.
#include "base/exact_sum.hpp"
#include "loss/log_link.hpp"
#include "loss/registry.hpp"

namespace dpdtree {
namespace {

using boosting::LossInput;

class BoostedGamma : public boosting::LogLink {
 public:
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    with_exponentials(in, begin, end, -1, [&](std::size_t i, double inverse) {
      gradient[i] = static_cast<float>(1 - in.y[i] * inverse);
      hessian[i] = static_cast<float>(in.y[i] * inverse);
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
    with_exponentials(in, begin, end, -1, [&](std::size_t i, double inverse) {
      add(in.weight_of(i) * (in.raw[i] + in.y[i] * inverse));
    });
  }
};

std::unique_ptr<boosting::Loss> boosted(const boosting::LossOptions&) {
  return std::make_unique<BoostedGamma>();
}

}  // namespace

LossInfo gamma_info() {
  LossInfo info;
  info.domain = Domain::positive;
  info.link = Link::log;
  info.boosted = boosted;
  return info;
}

}  // namespace dpdtree
