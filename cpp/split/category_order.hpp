// Orders of a node's categories. A split of categories is a set of them, but with two
// classes or numbers as targets the best set consists of the first few categories by
// mean response (Fisher, Breiman et al.): there the scan over positions in that order
// is exact for every criterion and loss that looks at the mean, as if the feature was a
// number. With more classes or outputs several orders are tried, and each category
// alone.
#pragma once

#include <span>
#include <vector>

#include "loss/targets.hpp"
#include "split/accumulators.hpp"

namespace dpdtree {

// The sums of one cell, whatever the layout of the cells.
class CellSums {
 public:
  CellSums(const CodeHistogram& cells, const Targets& targets)
      : c_(cells), t_(targets) {}

  // A coordinate of the targets: the weight of a class, or the sum of an output.
  double of_class(u32 cell, u32 k) const {
    if (t_.general) return of_cell(cell)[t_.first_coordinate() + k];
    const std::size_t i = std::size_t{cell} * t_.n_classes + k;
    return t_.weighted() ? c_.sum[i] : c_.count[i];
  }
  double weight(u32 cell) const {
    if (t_.general) return t_.total_weight(of_cell(cell));
    if (!t_.classification()) return t_.weighted() ? c_.weight[cell] : c_.count[cell];
    double w = 0;
    for (u32 k = 0; k < t_.n_classes; ++k) w += of_class(cell, k);
    return w;
  }
  double share(u32 cell, u32 k) const { return of_class(cell, k) / weight(cell); }
  // Of two classes the share of the second, of numbers the mean.
  double mean_response(u32 cell) const {
    if (t_.general) return share(cell, 0);
    return t_.classification() ? share(cell, 1) : c_.sum[cell] / weight(cell);
  }

 private:
  std::span<const double> of_cell(u32 cell) const {
    const std::size_t width = t_.stats_width();
    return {c_.sum.data() + cell * width, width};
  }

  const CodeHistogram& c_;
  const Targets& t_;
};

// What cells are sorted by, one number each.
using OrderKeys = std::vector<double>;

// Two classes, or numbers: one order says it all (for functions of the mean).
bool one_order_is_exact(const Targets& targets);

struct OrderNeeds {
  // Mistakes are counted: each pair of classes has its own order (exact for the 0-1
  // loss).
  bool for_errors = false;
  // Sets have a price: where few categories are to be named, those whose rows are many
  // and unlike the others' come first, not those that have one row.
  bool by_evidence = false;
};

// The orders worth a scan.
std::vector<OrderKeys> category_orders(const CellSums& sums, const Targets& targets,
                                       std::span<const u32> cells, OrderNeeds needs);

// The one order that tells most, for where there is room for one only: by mean response
// or, with more classes, along the first principal component of the class shares.
OrderKeys main_order(const CellSums& sums, const Targets& targets,
                     std::span<const u32> cells);

// Sorts cells by their keys (key i belongs to cells[i]); equal keys by cell.
void sort_cells(std::span<const u32> cells, const OrderKeys& keys,
                std::vector<u32>& sorted);

// At most this weight gets its class from any split of these cells (missing values
// among them) into two leaves.
double most_correct_of_cells(const CellSums& sums, const Targets& targets,
                             std::span<const double> stats, std::span<const u32> cells);

}  // namespace dpdtree
