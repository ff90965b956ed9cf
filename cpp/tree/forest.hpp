// The boosted model: trees whose values add up.
#pragma once

#include <memory>
#include <vector>

#include "base/types.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

struct Forest {
  u32 n_features = 0;
  u32 n_outputs = 1;
  std::vector<double> baseline;                    // per output
  std::vector<std::shared_ptr<const Tree>> trees;  // outputs of an iteration together

  std::size_t n_iterations() const { return trees.size() / n_outputs; }
  Forest truncated(std::size_t n_iterations) const;
  // The trees of the last iteration alone.
  Forest latest() const;
  // Gains, or the number of splits, of each feature.
  std::vector<double> importances(bool by_gain) const;
};

// Throws FormatError unless all trees have gains, one finite value per node, the
// forest's features and category numbers below 255, the baseline is finite, and no
// feature has both thresholds and categories.
void check_forest(const Forest& forest);

}  // namespace dpdtree
