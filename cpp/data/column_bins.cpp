#include "data/column_bins.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/exact_sum.hpp"
#include "data/quantile_bins.hpp"

namespace dpdtree {
namespace {

// Rows that are read at a time: the values of a few columns stay in the fastest cache.
constexpr std::size_t kStrip = 512;

struct Weighted {
  double value;
  double weight;
};

// The distinct values that are not NaN, ascending. Weights are rounded so that their
// sums do not depend on the order of the rows.
std::vector<Weighted> distinct_of(std::span<const double> values, const double* weights,
                                  SortScratch& scratch, ThreadPool* pool) {
  const std::size_t n = values.size();
  Grid grid;
  if (weights != nullptr) grid = Grid(*std::max_element(weights, weights + n), n);
  std::vector<Weighted> out;
  for (const u32 row : sort_rows(values, scratch, pool).rows) {
    const double v = values[row] + 0.0;  // -0.0 → 0.0
    if (out.empty() || v != out.back().value) out.push_back({v, 0});
    out.back().weight += weights != nullptr ? grid(weights[row]) : 1;
  }
  return out;
}

double between(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

}  // namespace

void DistinctValues::add(const MatrixView& x, std::span<const u32> columns) {
  std::vector<u32> open;
  for (const u32 c : columns)
    if (few(c)) open.push_back(c);
  std::vector<double> strip(columns.size() * kStrip);
  for (std::size_t begin = 0; begin < x.rows && !open.empty(); begin += kStrip) {
    const std::size_t end = std::min(begin + kStrip, x.rows);
    std::vector<double*> to;
    for (std::size_t i = 0; i < open.size(); ++i) to.push_back(&strip[i * kStrip]);
    read_finite(x, open, begin, end, to);
    for (std::size_t i = 0; i < open.size(); ++i) add(open[i], {to[i], end - begin});
    std::erase_if(open, [&](u32 c) { return !few(c); });
  }
}

void DistinctValues::add(u32 column, std::span<const double> values) {
  FewValues& known = few_[column];
  for (const double v : values) {
    if (std::isnan(v)) continue;
    if (known.slot_of(v) < 0 || known.values.size() > most_) return give_up(column);
  }
}

void DistinctValues::give_up(u32 column) {
  failed_[column] = 1;
  few_[column].values = {};
}

std::vector<double> DistinctValues::values(u32 column) const {
  std::vector<double> out = few_[column].values;
  std::sort(out.begin(), out.end());
  return out;
}

ColumnBins bins_of_few(std::vector<double> values) {
  ColumnBins bins;
  bins.lower = std::move(values);
  bins.upper = bins.lower;
  if (!bins.lower.empty()) bins.cuts.assign(bins.lower.begin(), bins.lower.end() - 1);
  return bins;
}

ColumnBins bins_of_sample(std::span<const double> values, const double* weights,
                          u32 max_bins, bool all, SortScratch& scratch,
                          ThreadPool* pool) {
  const std::vector<Weighted> distinct = distinct_of(values, weights, scratch, pool);
  double total = 0;
  for (const Weighted& d : distinct) total += d.weight;
  QuantileBins quantiles(total, max_bins, BinAim::share_of_whole);
  ColumnBins bins;
  bins.all_known = all;
  bool begins = true;
  for (const Weighted& d : distinct) {
    if (begins) {
      if (!bins.upper.empty()) bins.cuts.push_back(between(bins.upper.back(), d.value));
      bins.lower.push_back(d.value);
      bins.upper.push_back(d.value);
    }
    bins.upper.back() = d.value;
    begins = quantiles.add(d.weight);
  }
  return bins;
}

}  // namespace dpdtree
