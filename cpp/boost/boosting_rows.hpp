// What boosting asks of its rows, beside the histograms of nodes
// (hist/node_evaluator.hpp). The loop above sees sums and extremes only; scores,
// derivatives and the rows of nodes belong to whoever answers. Local rows answer first;
// blocks of rows or a cluster can answer the same questions.
//
// A node is known by its path of splits from the root; the rows that a grown tree keeps
// for its leaves are the local answerer's cache.
#pragma once

#include <span>
#include <vector>

#include "boost/grown_tree.hpp"
#include "hist/gradients.hpp"

namespace dpdtree::boosting {

// Sums over rows: they add up over blocks.
struct LossSum {
  double loss = 0;
  double weight = 0;
};

// Weighted sums over rows: of squared gradients, of hessians, of one.
struct Spread {
  double squares = 0;
  double hessian = 0;
  double weight = 0;
};

class BoostingRows {
 public:
  virtual ~BoostingRows() = default;

  // The largest derivatives and weights of the rows of this iteration, after all trees
  // that were added: they settle the units of a tree.
  virtual Largest largest(u32 output, ThreadPool& pool) const = 0;
  // Of the drawn rows, the mean squared gradient over the mean hessian.
  virtual double noise(u32 output) const = 0;

  // The losses of the training rows and of the validation rows. The former may leave
  // the derivatives of these scores behind.
  virtual LossSum training_loss() = 0;
  virtual LossSum validation_loss() const = 0;

  // Of the residuals in each leaf; other nodes have 0.
  virtual std::vector<double> leaf_quantiles(const GrownTree& tree, u32 output,
                                             double quantile) const = 0;
  // Sums of the derivatives in each leaf, with weights and in full precision; hessians
  // are added to `l2`.
  virtual std::vector<DerivativeSum> leaf_sums(const GrownTree& tree, u32 output,
                                               double l2) const = 0;

  // Adds the values of a tree's leaves to the scores of an output.
  virtual void add_tree(const GrownTree& tree, std::span<const double> values,
                        u32 output, ThreadPool& pool) = 0;
};

}  // namespace dpdtree::boosting
