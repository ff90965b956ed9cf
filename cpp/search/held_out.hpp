// The prunings of a greedy tree, shrunk more or less, on rows that it has not seen.
#pragma once

#include <span>
#include <vector>

#include "search/folds.hpp"
#include "search/greedy_tree.hpp"
#include "search/search.hpp"

namespace dpdtree {

// What is chosen together: by how much the price of splits is multiplied, and how
// strongly values are shrunk. Infinity prunes to one leaf.
struct TuningGrid {
  std::vector<double> price_scales;
  std::vector<double> shrinkages;

  std::size_t size() const { return price_scales.size() * shrinkages.size(); }
};

// Adds to `sums`, for each scale and within it for each strength, what the test rows of
// the fold cost in the greedy tree of its training rows: by log-loss for classes, by
// the loss of the search for numbers. `search` is that of all rows, or of the fold's
// weights; `truth` holds the targets of all rows, and its unit is that of the sums.
void add_held_out_losses(const Search& search, const Targets& truth, const Fold& fold,
                         const TuningGrid& grid, std::span<double> sums);

}  // namespace dpdtree
