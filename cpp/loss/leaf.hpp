// What a leaf says, and what that costs each row.
#pragma once

#include <span>
#include <vector>

#include "loss/criterion.hpp"

namespace dpdtree {

struct LossInfo;

// The predictions of a regression leaf, one per output, in the units of targets.y: what
// costs least by the loss.
std::vector<double> leaf_predictions(Criterion loss, const Targets& targets,
                                     std::span<const Row> rows,
                                     std::span<const double> stats);

// What a row costs in a leaf with the given statistics, or predictions, per unit of its
// weight. Summed over the rows of the leaf that is its impurity sum (log-losses are
// smoothed).
class RowCosts {
 public:
  RowCosts(Criterion loss, const Targets& targets, std::span<const double> stats,
           std::vector<double> predictions);

  double operator()(Row r) const;

  // By label, where that is all it depends on; else null.
  const double* by_label() const {
    return t_.classification() && t_.n_outputs == 1 ? per_class_.data() : nullptr;
  }

 private:
  const LossInfo* info_;
  const Targets& t_;
  std::vector<double> per_class_;
  std::vector<double> predictions_;
};

}  // namespace dpdtree
