#include "hist/binner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/exact_sum.hpp"
#include "data/quantile_bins.hpp"
#include "data/quantile_rows.hpp"
#include "data/radix_sort.hpp"
#include "data/round_threshold.hpp"
#include "data/single_precision.hpp"

namespace dpdtree::boosting {
namespace {

struct Distinct {
  std::vector<double> value;
  std::vector<double> weight;
};

Distinct distinct_values(const std::vector<double>& values,
                         const std::vector<double>& weights) {
  Distinct out;
  SortScratch scratch;
  const SortedRows order = sort_rows(values, scratch, nullptr);
  // Sums that depend on no order.
  Grid grid;
  if (!weights.empty())
    grid = Grid(*std::max_element(weights.begin(), weights.end()), weights.size());
  for (const u32 row : order.rows) {
    const double v = values[row] + 0.0;
    if (out.value.empty() || v != out.value.back()) {
      out.value.push_back(v);
      out.weight.push_back(0);
    }
    out.weight.back() += weights.empty() ? 1 : grid(weights[row]);
  }
  return out;
}

// Whether single precision tells at most so many of these ascending values apart.
bool at_most_in_single(std::size_t most, const std::vector<double>& values) {
  std::size_t found = values.empty() ? 0 : 1;
  for (std::size_t i = 1; i < values.size() && found <= most; ++i)
    found += same_in_single(values[i - 1], values[i]) ? 0 : 1;
  return found <= most;
}

// The limit with the same numbers of single precision below it that no value crosses
// when it is rounded to one.
double uncrossable(double edge) {
  if (edge == 0 || !fits_single(edge)) return edge;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  auto below = static_cast<float>(edge);
  if (below > edge) below = std::nextafter(below, -kInfinity);
  const float above = std::nextafter(below, kInfinity);
  if (!std::isfinite(below) || !std::isfinite(above)) return edge;
  const double tie = (double{below} + double{above}) / 2;
  return static_cast<float>(tie) == below ? tie : std::nextafter(tie, double{below});
}

bool lose_digits_in_single(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](double v) { return v != in_single(v) && !std::isnan(v); });
}

u32 count_categories(const std::vector<double>& values, std::size_t column) {
  double largest = -1;
  for (const double v : values) {
    if (std::isnan(v)) continue;
    if (v < 0 || v >= kMaxBins || v != std::floor(v))
      throw InputError("categorical column " + std::to_string(column) +
                       " must hold codes 0 ... 254");
    largest = std::max(largest, v);
  }
  return static_cast<u32>(largest) + 1;
}

bool is_categorical(const Params& params, std::size_t column) {
  return !params.categorical.empty() && params.categorical[column];
}

FeatureBins categorical_bins(const MatrixView& x, std::size_t column) {
  FeatureBins bins;
  bins.categorical = true;
  bins.n_values =
      std::max(1u, count_categories(read_column(x, column, nullptr), column));
  return bins;
}

FeatureBins numeric_bins(std::vector<double> edges) {
  FeatureBins bins;
  bins.n_values = static_cast<u32>(edges.size()) + 1;
  bins.edges = std::move(edges);
  return bins;
}

}  // namespace

u32 FeatureBins::code_of(double value) const {
  if (std::isnan(value)) return n_values;
  if (categorical) {
    const bool known = value >= 0 && value < n_values && value == std::floor(value);
    return known ? static_cast<u32>(value) : n_values;
  }
  const auto edge = std::lower_bound(edges.begin(), edges.end(), value);
  return static_cast<u32>(edge - edges.begin());
}

std::vector<double> quantile_edges(const std::vector<double>& values,
                                   const std::vector<double>& weights, u32 max_bins) {
  const Distinct d = distinct_values(values, weights);
  std::vector<double> edges;
  double total = 0;
  for (const double w : d.weight) total += w;
  QuantileBins bins(total, max_bins, BinAim::share_of_rest);
  const bool one_each = at_most_in_single(max_bins, d.value);
  for (std::size_t i = 0; i + 1 < d.value.size(); ++i) {
    const bool may_end = !same_in_single(d.value[i], d.value[i + 1]);
    if (bins.add(d.weight[i], may_end) || (one_each && may_end))
      edges.push_back(round_threshold(d.value[i], d.value[i + 1]));
  }
  return edges;
}

std::vector<double> read_column(const MatrixView& x, std::size_t column,
                                const std::vector<Row>* rows) {
  const std::size_t n = rows != nullptr ? rows->size() : x.rows;
  std::vector<double> out(n);
  const std::byte* first = x.data + static_cast<std::ptrdiff_t>(column) * x.col_stride;
  visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<std::ptrdiff_t>(rows != nullptr ? (*rows)[i] : i);
      out[i] = load_as_double<T>(first + row * x.row_stride);
    }
  });
  return out;
}

std::vector<FeatureBins> fit_bins(const MatrixView& x, const double* weights,
                                  const Params& params, bool more_rows,
                                  ThreadPool& pool, StopToken& stop) {
  const bool unseen = more_rows || x.rows > kRowsForQuantiles;
  const std::vector<Row> rows = rows_for_quantiles(x.rows, weights);
  std::vector<double> row_weights;
  for (std::size_t i = 0; weights != nullptr && i < rows.size(); ++i)
    row_weights.push_back(weights[rows[i]]);
  std::vector<FeatureBins> bins(x.cols);
  pool.parallel_for(x.cols, [&](std::size_t c, unsigned) {
    if (stop.poll()) return;
    if (is_categorical(params, c)) {
      bins[c] = categorical_bins(x, c);
      return;
    }
    const std::vector<double> values = read_column(x, c, &rows);
    std::vector<double> edges = quantile_edges(values, row_weights, params.max_bins);
    if (unseen && lose_digits_in_single(values))
      std::transform(edges.begin(), edges.end(), edges.begin(), uncrossable);
    bins[c] = numeric_bins(std::move(edges));
  });
  return bins;
}

std::vector<FeatureBins> known_bins(const std::vector<std::vector<double>>& edges,
                                    const std::vector<u32>& n_categories) {
  if (edges.size() != n_categories.size())
    throw InputError("edges and n_categories must have one entry per feature");
  std::vector<FeatureBins> bins;
  for (std::size_t c = 0; c < edges.size(); ++c) {
    if (edges[c].size() >= kMaxBins || n_categories[c] > kMaxBins)
      throw InputError("feature " + std::to_string(c) + " has more than 255 bins");
    bins.push_back(numeric_bins(edges[c]));
    if (n_categories[c] == 0) continue;
    bins.back().categorical = true;
    bins.back().n_values = n_categories[c];
  }
  return bins;
}

}  // namespace dpdtree::boosting
