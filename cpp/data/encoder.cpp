#include "data/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "data/categories.hpp"
#include "data/high_cardinality.hpp"
#include "data/low_cardinality.hpp"
#include "data/quantile_bins.hpp"

namespace dpdtree {
namespace {

// A cache line of doubles: reading this many columns of a C-ordered matrix together
// touches each line of memory once.
constexpr std::size_t kColumnsPerBlock = 8;

MatrixView column_view(const double* values, std::size_t n) {
  MatrixView view;
  view.data = reinterpret_cast<const std::byte*>(values);
  view.dtype = DType::f64;
  view.rows = n;
  view.cols = 1;
  view.row_stride = sizeof(double);
  view.col_stride = static_cast<std::ptrdiff_t>(n * sizeof(double));
  return view;
}

MatrixView column_view(const MatrixView& x, std::size_t f) {
  MatrixView view = x;
  view.data += static_cast<std::ptrdiff_t>(f) * x.col_stride;
  view.cols = 1;
  return view;
}

// What a thread needs to encode columns.
struct Scratch {
  std::vector<UninitializedVector<double>> values;
  SortScratch sort;
};

// Those columns of x as doubles.
void read_whole(const MatrixView& x, std::span<const u32> features,
                std::vector<UninitializedVector<double>>& out, ThreadPool* pool) {
  if (out.size() < features.size()) out.resize(features.size());
  std::vector<double*> to;
  for (std::size_t c = 0; c < features.size(); ++c) {
    out[c].resize(x.rows);
    to.push_back(out[c].data());
  }
  for_pieces(pool, x.rows, n_pieces(pool, x.rows),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               std::vector<double*> here;
               for (double* column : to) here.push_back(column + begin);
               read_finite(x, features, begin, end, here);
             });
}

// Groups ascending ranks into at most max_bins bins of about equal weight.
std::vector<u32> bins_of_ranks(const Column& exact,
                               const std::vector<double>& rank_weight, u32 max_bins) {
  double total = 0;
  for (const double w : rank_weight) total += w;
  const std::size_t n_ranks = rank_weight.size();
  std::vector<u32> bin(n_ranks, 0);
  QuantileBins bins(total, max_bins, BinAim::share_of_whole);
  for (std::size_t r = 0; r < n_ranks; ++r) {
    bin[r] = exact.occurs(r) ? bins.n_ended() : bin[r - 1];
    if (exact.occurs(r)) bins.add(rank_weight[r]);
  }
  return bin;
}

Column bin_column(const Column& exact, std::size_t n, u32 max_bins,
                  const double* weights) {
  std::vector<double> rank_weight(exact.n_values, 0.0);
  visit_codes(exact.code, [&](const auto* code) {
    for (std::size_t i = 0; i < n; ++i)
      if (code[i] < exact.n_values)
        rank_weight[code[i]] += weights != nullptr ? weights[i] : 1.0;
  });
  const bool few = exact.n_values <= max_bins;
  std::vector<u32> bin(exact.n_values);
  if (few)
    for (u32 r = 0; r < exact.n_values; ++r) bin[r] = r;
  else
    bin = bins_of_ranks(exact, rank_weight, max_bins);

  Column column;
  column.binned = true;
  column.n_missing = exact.n_missing;
  column.n_values = exact.n_values == 0 ? 0 : bin.back() + 1;
  column.lower.resize(column.n_values);
  column.upper.resize(column.n_values);
  for (u32 r = 0; r < exact.n_values; ++r) {
    if (r == 0 || bin[r] != bin[r - 1]) column.lower[bin[r]] = exact.value(r);
    if (r + 1 == exact.n_values || bin[r] != bin[r + 1])
      column.upper[bin[r]] = exact.value(r);
  }
  column.code = make_codes(n, column.n_codes());
  bin.push_back(column.n_values);
  visit_codes(exact.code, [&](const auto* code) {
    std::visit(
        [&](auto& out) {
          using Code = typename std::decay_t<decltype(out)>::value_type;
          for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Code>(bin[code[i]]);
        },
        column.code);
  });
  return column;
}

class Encoder {
 public:
  Encoder(const MatrixView& x, u32 max_bins, const double* weights, ThreadPool& pool,
          StopToken& stop, std::vector<Column>& columns)
      : x_(x),
        max_bins_(max_bins),
        weights_(weights),
        pool_(pool),
        stop_(stop),
        columns_(columns) {}

  // Reads most columns once, strip by strip; whole ones only if there is no other way.
  void encode(std::size_t begin, std::size_t end, Scratch& scratch) {
    if (stop_.poll()) return;
    std::vector<u32> numbers, whole;
    for (std::size_t f = begin; f < end; ++f)
      (columns_[f].categorical ? whole : numbers).push_back(static_cast<u32>(f));
    auto few = encode_few_values(x_, numbers, &pool_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (few[i])
        keep(numbers[i], std::move(*few[i]));
      else
        whole.push_back(numbers[i]);
    }
    if (whole.empty() || stop_.poll()) return;
    read_whole(x_, whole, scratch.values, &pool_);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (stop_.poll()) return;
      encode_whole(whole[i], scratch.values[i], scratch.sort);
    }
  }

 private:
  void encode_whole(u32 f, std::span<const double> values, SortScratch& sort) {
    if (columns_[f].categorical)
      columns_[f] = encode_categories(values, weights_);
    else
      keep(f, encode_many_values(values, column_view(x_, f), sort, &pool_));
  }

  void keep(u32 f, Column&& exact) {
    columns_[f] = max_bins_ == 0 ? std::move(exact)
                                 : bin_column(exact, x_.rows, max_bins_, weights_);
  }

  const MatrixView& x_;
  const u32 max_bins_;
  const double* weights_;
  ThreadPool& pool_;
  StopToken& stop_;
  std::vector<Column>& columns_;
};

}  // namespace

Column encode_column(const std::vector<double>& values, u32 max_bins,
                     const double* weights) {
  StopToken stop(-1, {});
  ThreadPool pool(1);
  return encode(column_view(values.data(), values.size()), max_bins, weights, {}, pool,
                stop)[0];
}

std::vector<Column> encode(const MatrixView& x, u32 max_bins, const double* weights,
                           std::span<const u32> categorical, ThreadPool& pool,
                           StopToken& stop) {
  std::vector<Column> columns(x.cols);
  for (const u32 f : categorical) {
    if (f >= x.cols) throw InputError("a categorical feature is out of range");
    columns[f].categorical = true;
  }
  // Smaller blocks for very long columns (their buffers count) and for several threads
  // (all of them need work, and share the rows of the last columns).
  std::size_t per_block = x.rows > 0xffff ? kColumnsPerBlock / 2 : kColumnsPerBlock;
  while (pool.size() > 1 && per_block > 1 && x.cols < per_block * pool.size() * 4)
    per_block /= 2;
  const std::size_t n_blocks = (x.cols + per_block - 1) / per_block;
  std::vector<Scratch> scratch(pool.size());
  Encoder encoder(x, max_bins, weights, pool, stop, columns);
  pool.parallel_for(n_blocks, [&](std::size_t block, unsigned worker) {
    const std::size_t first = block * per_block;
    encoder.encode(first, std::min(first + per_block, x.cols), scratch[worker]);
  });
  return columns;
}

}  // namespace dpdtree
