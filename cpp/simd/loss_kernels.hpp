// Losses of boosting and their derivatives, row by row. Results are the same to the
// last bit with every instruction set.
#pragma once

#include <cstddef>

namespace dpdtree::boosting {

// Rows of two classes: scores and labels 0 or 1, and where their derivatives go.
struct LogisticRows {
  const double* raw = nullptr;
  const double* y = nullptr;
  std::size_t n = 0;
  float* gradient = nullptr;
  float* hessian = nullptr;
};

// Rows as one of several classes sees them: exp(score - largest score) of this class,
// its sum over all classes, and the labels of the rows.
struct SoftmaxRows {
  const double* e = nullptr;
  const double* total = nullptr;
  const double* y = nullptr;
  double label = 0;
  double excess = 1;  // factor of the hessians
  std::size_t n = 0;
  float* gradient = nullptr;
  float* hessian = nullptr;
};

struct LossKernels {
  void (*logistic)(const LogisticRows& rows);
  // The same; losses[i] is that of row i.
  void (*logistic_with_losses)(const LogisticRows& rows, double* losses);
  void (*softmax)(const SoftmaxRows& rows);
};

}  // namespace dpdtree::boosting
