// The bins of a numeric column of single trees: a bin per value if there are few values
// enough, else quantiles of (at most 200 000 of) its rows. Both parts can be gathered
// from blocks of rows.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/few_values.hpp"
#include "data/matrix_view.hpp"
#include "data/radix_sort.hpp"

namespace dpdtree {

// A value lies in bin b if it is above cuts[b - 1] and not above cuts[b]. lower[b] and
// upper[b] are the extreme values of bin b among the rows that are known.
struct ColumnBins {
  std::vector<double> cuts;
  std::vector<double> lower, upper;
  bool all_known = true;  // no other row has a value outside of them

  u32 n_values() const { return static_cast<u32>(lower.size()); }
};

// The distinct values of columns, as long as there are at most `most` of them.
class DistinctValues {
 public:
  DistinctValues(std::size_t n_columns, u32 most)
      : most_(most), few_(n_columns), failed_(n_columns, 0) {}

  // Columns that hold too many are not read any further. Infinite values that are met
  // raise InputError.
  void add(const MatrixView& x, std::span<const u32> columns);
  void add(u32 column, std::span<const double> values);
  void give_up(u32 column);

  bool few(u32 column) const { return failed_[column] == 0; }
  // Ascending; of a column with few.
  std::vector<double> values(u32 column) const;

 private:
  u32 most_;
  std::vector<FewValues> few_;
  std::vector<u8> failed_;
};

ColumnBins bins_of_few(std::vector<double> values);

// Of the values of the rows quantiles are taken from, NaN among them; `weights` (or
// null) are of the same rows. `all`: there are no other rows.
ColumnBins bins_of_sample(std::span<const double> values, const double* weights,
                          u32 max_bins, bool all, SortScratch& scratch,
                          ThreadPool* pool);

}  // namespace dpdtree
