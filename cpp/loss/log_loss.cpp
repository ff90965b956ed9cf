// Logistic loss of two classes, and of several (softmax).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/exact_sum.hpp"
#include "loss/entropy.hpp"
#include "loss/registry.hpp"
#include "simd/dispatch.hpp"

namespace dpdtree::boosting {
namespace {

constexpr std::size_t kChunk = 512;

// Weighted or not, row by row: what a sum rounds must not depend on a row's neighbours.
class LossTotal {
 public:
  LossTotal(const LossInput& in, FixedSum& sum) : weight_(in.weight), sum_(&sum) {}
  // Of n rows from `first` on.
  void add(std::size_t first, std::size_t n, const double* losses) {
    if (weight_ == nullptr) return sum_->add(losses, n);
    for (std::size_t i = 0; i < n; ++i)
      sum_->add_exactly(weight_[first + i] * losses[i]);
  }

 private:
  const double* weight_;
  FixedSum* sum_;
};

class BinaryLogLoss : public Loss {
 public:
  std::vector<double> start(const StartSums& sums) const override {
    const double tiny = std::numeric_limits<double>::epsilon();
    const double p = std::clamp(sums.mean(), tiny, 1 - tiny);
    return {std::log(p / (1 - p))};
  }

  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    kernels().loss.logistic(rows(in, begin, end - begin, gradient, hessian));
  }

  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    FixedSum total;
    add(in, begin, end, total);
    return total.value();
  }

  void add_losses(const LossInput& in, const Grid&, FixedSum& total) const override {
    add(in, 0, in.n_rows, total);
  }

  double sum_and_gradients(const LossInput& in, float* gradient,
                           float* hessian) const override {
    double losses[kChunk];
    FixedSum sum;
    LossTotal total(in, sum);
    for (std::size_t first = 0; first < in.n_rows; first += kChunk) {
      const std::size_t n = std::min(kChunk, in.n_rows - first);
      kernels().loss.logistic_with_losses(rows(in, first, n, gradient, hessian),
                                          losses);
      total.add(first, n, losses);
    }
    return sum.value();
  }

 private:
  static void add(const LossInput& in, std::size_t begin, std::size_t end,
                  FixedSum& sum) {
    double e[kChunk];
    LossTotal total(in, sum);
    for (std::size_t first = begin; first < end; first += kChunk) {
      const std::size_t n = std::min(kChunk, end - first);
      exponentials(in, first, n, e);
      add_losses(in, first, n, e, total);
    }
  }
  // exp(-|score|): never too large.
  static void exponentials(const LossInput& in, std::size_t first, std::size_t n,
                           double* e) {
    for (std::size_t i = 0; i < n; ++i) e[i] = -std::fabs(in.raw[first + i]);
    kernels().gradient.exponentials(e, n, e);
  }
  static LogisticRows rows(const LossInput& in, std::size_t first, std::size_t n,
                           float* gradient, float* hessian) {
    return {in.raw + first, in.y + first, n, gradient + first, hessian + first};
  }
  // Overwrites e.
  static void add_losses(const LossInput& in, std::size_t first, std::size_t n,
                         double* e, LossTotal& total) {
    for (std::size_t i = 0; i < n; ++i) e[i] += 1;
    kernels().gradient.logarithms(e, n, e);
    for (std::size_t i = 0; i < n; ++i) {
      const double z = in.raw[first + i];
      e[i] += std::max(z, 0.0) - in.y[first + i] * z;
    }
    total.add(first, n, e);
  }
};

class MultinomialLogLoss : public Loss {
 public:
  explicit MultinomialLogLoss(u32 n_classes) : n_classes_(n_classes) {}
  u32 n_outputs() const override { return n_classes_; }

  void add_start(const LossInput& in, StartSums& sums) const override {
    sums.add_weights(in);
    sums.terms.resize(n_classes_);
    for (std::size_t i = 0; i < in.n_rows; ++i)
      sums.terms[static_cast<std::size_t>(in.y[i])].add(in.weight_of(i));
  }
  std::vector<double> start(const StartSums& sums) const override {
    const double tiny = std::numeric_limits<double>::epsilon();
    std::vector<double> share;
    for (const ExactSum& s : sums.terms)
      share.push_back(s.value() / sums.weight.value());
    double mean = 0;
    for (double& s : share) {
      s = std::log(std::max(s, tiny));
      mean += s / n_classes_;
    }
    for (double& s : share) s -= mean;  // only differences matter
    return share;
  }

  // Class after class over a chunk of rows, so that every loop is over neighbours.
  // Hessians are K/(K-1) times the diagonal: the trees of all classes step at once,
  // each as if it were alone, and together they would go too far (Friedman 2001).
  void gradients(const LossInput& in, std::size_t begin, std::size_t end,
                 float* gradient, float* hessian) const override {
    std::vector<double> e(n_classes_ * kChunk);
    double top[kChunk], total[kChunk];
    for (std::size_t first = begin; first < end; first += kChunk) {
      const std::size_t n = std::min(kChunk, end - first);
      exponentials(in, first, n, e.data(), top, total);
      write_gradients(in, first, n, e.data(), total, gradient, hessian);
    }
  }

  double sum(const LossInput& in, std::size_t begin, std::size_t end) const override {
    FixedSum total;
    add(in, begin, end, total);
    return total.value();
  }

  void add_losses(const LossInput& in, const Grid&, FixedSum& total) const override {
    add(in, 0, in.n_rows, total);
  }

  double sum_and_gradients(const LossInput& in, float* gradient,
                           float* hessian) const override {
    std::vector<double> e(n_classes_ * kChunk);
    double top[kChunk], total[kChunk];
    FixedSum losses;
    LossTotal sum(in, losses);
    for (std::size_t first = 0; first < in.n_rows; first += kChunk) {
      const std::size_t n = std::min(kChunk, in.n_rows - first);
      exponentials(in, first, n, e.data(), top, total);
      write_gradients(in, first, n, e.data(), total, gradient, hessian);
      add_losses(in, first, n, top, total, sum);
    }
    return losses.value();
  }

 private:
  void add(const LossInput& in, std::size_t begin, std::size_t end,
           FixedSum& losses) const {
    std::vector<double> e(n_classes_ * kChunk);
    double top[kChunk], total[kChunk];
    LossTotal sum(in, losses);
    for (std::size_t first = begin; first < end; first += kChunk) {
      const std::size_t n = std::min(kChunk, end - first);
      exponentials(in, first, n, e.data(), top, total);
      add_losses(in, first, n, top, total, sum);
    }
  }
  void write_gradients(const LossInput& in, std::size_t first, std::size_t n,
                       const double* e, const double* total, float* gradient,
                       float* hessian) const {
    const double excess = n_classes_ / (n_classes_ - 1.0);
    for (u32 k = 0; k < n_classes_; ++k) {
      const std::size_t at = k * in.n_rows + first;
      kernels().loss.softmax({e + k * kChunk, total, in.y + first,
                              static_cast<double>(k), excess, n, gradient + at,
                              hessian + at});
    }
  }
  // Overwrites `total`.
  static void add_losses(const LossInput& in, std::size_t first, std::size_t n,
                         const double* top, double* total, LossTotal& sum) {
    kernels().gradient.logarithms(total, n, total);
    for (std::size_t i = 0; i < n; ++i) {
      const auto label = static_cast<u32>(in.y[first + i]);
      total[i] += top[i] - score(in, label, first + i);
    }
    sum.add(first, n, total);
  }
  // exp(score - largest score) per class and row, and their sum per row.
  void exponentials(const LossInput& in, std::size_t first, std::size_t n, double* e,
                    double* top, double* total) const {
    std::copy_n(in.raw + first, n, top);
    for (u32 k = 1; k < n_classes_; ++k)
      for (std::size_t i = 0; i < n; ++i)
        top[i] = std::max(top[i], score(in, k, first + i));
    std::fill_n(total, n, 0.0);
    for (u32 k = 0; k < n_classes_; ++k) {
      double* row = e + k * kChunk;
      for (std::size_t i = 0; i < n; ++i) row[i] = score(in, k, first + i) - top[i];
      kernels().gradient.exponentials(row, n, row);
      for (std::size_t i = 0; i < n; ++i) total[i] += row[i];
    }
  }
  static double score(const LossInput& in, u32 k, std::size_t row) {
    return in.raw[k * in.n_rows + row];
  }
  u32 n_classes_;
};

}  // namespace
}  // namespace dpdtree::boosting

namespace dpdtree {
namespace {

void class_costs(const Targets&, std::span<const double> counts, double* costs) {
  double total = 0;
  for (const double c : counts) total += c;
  for (std::size_t k = 0; k < counts.size(); ++k)
    costs[k] = -std::log((counts[k] + 1e-3) / (total + 1e-3));
}

std::unique_ptr<boosting::Loss> boosted(const boosting::LossOptions& options) {
  if (options.n_classes > 2)
    return std::make_unique<boosting::MultinomialLogLoss>(options.n_classes);
  return std::make_unique<boosting::BinaryLogLoss>();
}

}  // namespace

LossInfo log_loss_info() {
  LossInfo info;
  info.task = Task::classification;
  info.link = Link::logit;
  info.mdl = MdlRule::row;
  info.proposes_splits = true;
  info.minimised_by_trees = true;
  info.label = "training log-loss";
  info.simple = LogLoss::impurity_sum;
  info.impurity = over_outputs<LogLoss::impurity_sum>;
  info.excess = LogLoss::excess;
  info.class_costs = class_costs;
  info.boosted = boosted;
  return info;
}

}  // namespace dpdtree
