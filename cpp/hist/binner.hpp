// Values → at most 255 bins per feature, from the quantiles of the data.
#pragma once

#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "data/matrix_view.hpp"
#include "hist/params.hpp"

namespace dpdtree::boosting {

inline constexpr u32 kMaxBins = 255;  // the code after the last bin: missing

struct FeatureBins {
  bool categorical = false;
  u32 n_values = 1;
  std::vector<double> edges;  // numeric: a value is in bin b if <= edges[b], not before

  // The bin of a value or category; n_values if it is missing or no known category.
  u32 code_of(double value) const;
};

// Bins of all columns from (at most 200 000 of) the rows of positive weight. No value
// changes its bin when it is rounded to single precision; `more_rows`: not even one of
// rows that are yet to come.
std::vector<FeatureBins> fit_bins(const MatrixView& x, const double* weights,
                                  const Params& params, bool more_rows,
                                  ThreadPool& pool, StopToken& stop);

// Bins without any rows: with these edges, or so many categories (0: numeric).
std::vector<FeatureBins> known_bins(const std::vector<std::vector<double>>& edges,
                                    const std::vector<u32>& n_categories);

// Edges between at most max_bins bins of about equal weight; NaN is left out. Values
// that are equal in single precision share a bin.
std::vector<double> quantile_edges(const std::vector<double>& values,
                                   const std::vector<double>& weights, u32 max_bins);

// Reads values of one column at the given rows (all rows if null) as doubles.
std::vector<double> read_column(const MatrixView& x, std::size_t column,
                                const std::vector<Row>* rows);

}  // namespace dpdtree::boosting
