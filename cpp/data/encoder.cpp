#include "data/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "data/binned_encoder.hpp"
#include "data/categories.hpp"
#include "data/high_cardinality.hpp"
#include "data/low_cardinality.hpp"
#include "data/quantile_rows.hpp"

namespace dpdtree {
namespace {

// A cache line of doubles: reading this many columns of a C-ordered matrix together
// touches each line of memory once.
constexpr std::size_t kColumnsPerBlock = 8;

// Of long columns with few values: whole rows of most matrices.
constexpr std::size_t kColumnsPerPass = 64;

// Fewer of very long columns (their buffers count) and for several threads (all of them
// need work, and share the rows of the last columns).
std::size_t columns_per_block(const MatrixView& x, const ThreadPool& pool) {
  std::size_t n = x.rows > 0xffff ? kColumnsPerBlock / 2 : kColumnsPerBlock;
  while (pool.size() > 1 && n > 1 && x.cols < n * pool.size() * 4) n /= 2;
  return n;
}

// Calls f(some of the features, worker), up to so many at a time.
template <class F>
void in_blocks(std::span<const u32> features, std::size_t most, ThreadPool& pool,
               const F& f) {
  pool.parallel_for(
      (features.size() + most - 1) / most, [&](std::size_t block, unsigned worker) {
        const std::size_t first = block * most;
        f(features.subspan(first, std::min(most, features.size() - first)), worker);
      });
}

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

class Encoder {
 public:
  Encoder(const MatrixView& x, const double* weights, ThreadPool& pool, StopToken& stop,
          std::vector<Column>& columns)
      : x_(x), weights_(weights), pool_(pool), stop_(stop), columns_(columns) {}

  // Most columns are read once, strip by strip, as many together as stay in the cache.
  // Of those numbers that have too many values nothing is left.
  void encode_few(std::span<const u32> numbers) {
    if (stop_.poll()) return;
    auto few = encode_few_values(x_, numbers, &pool_);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!few[i]) continue;
      columns_[numbers[i]] = std::move(*few[i]);
      stop_.stage.add();
    }
  }

  // There is no other way.
  void encode_whole(std::span<const u32> features, Scratch& scratch) {
    if (stop_.poll()) return;
    read_whole(x_, features, scratch.values, &pool_);
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (stop_.poll()) return;
      encode_whole(features[i], scratch.values[i], scratch.sort);
      stop_.stage.add();
    }
  }

 private:
  void encode_whole(u32 f, std::span<const double> values, SortScratch& sort) {
    if (columns_[f].categorical)
      columns_[f] = encode_categories(values, weights_);
    else
      columns_[f] = encode_many_values(values, column_view(x_, f), sort, &pool_);
  }

  const MatrixView& x_;
  const double* weights_;
  ThreadPool& pool_;
  StopToken& stop_;
  std::vector<Column>& columns_;
};

// Quantile bins: the same three steps as for blocks of rows (see binned_encoder.hpp),
// but that X is at hand, so that the sample is read only where it is needed.
class Binner {
 public:
  Binner(const MatrixView& x, u32 max_bins, const double* weights, ThreadPool& pool,
         StopToken& stop)
      : x_(x),
        max_bins_(max_bins),
        weights_(weights),
        pool_(pool),
        stop_(stop),
        rows_(rows_for_quantiles(x.rows, nullptr)) {
    for (std::size_t i = 0; weights != nullptr && i < rows_.size(); ++i)
      row_weights_.push_back(weights[rows_[i]]);
  }

  void encode(std::vector<Column>& columns) {
    std::vector<u32> numbers;
    for (u32 f = 0; f < columns.size(); ++f)
      if (!columns[f].categorical) numbers.push_back(f);
    std::vector<ColumnBins> bins = bins_of(numbers);
    if (stop_.poll()) return;
    BinnedEncoder encoder(x_.rows);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      encoder.add_numbers(numbers[i], std::move(bins[i]));
    encoder.encode(x_, 0, pool_, stop_);
    std::vector<Column> encoded = encoder.finish();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      columns[numbers[i]] = std::move(encoded[i]);
    encode_rest(columns);
  }

 private:
  std::vector<ColumnBins> bins_of(const std::vector<u32>& numbers) {
    DistinctValues distinct(x_.cols, max_bins_);
    const std::size_t n_groups =
        (numbers.size() + kColumnsPerBlock - 1) / kColumnsPerBlock;
    pool_.parallel_for(n_groups, [&](std::size_t g, unsigned) {
      const std::span<const u32> all(numbers);
      const std::size_t first = g * kColumnsPerBlock;
      distinct.add(
          x_, all.subspan(first, std::min(kColumnsPerBlock, numbers.size() - first)));
    });
    std::vector<ColumnBins> bins(numbers.size());
    std::vector<SortScratch> scratch(pool_.size());
    pool_.parallel_for(numbers.size(), [&](std::size_t i, unsigned worker) {
      if (stop_.poll()) return;
      const u32 f = numbers[i];
      bins[i] = distinct.few(f) ? bins_of_few(distinct.values(f))
                                : bins_of_rows(f, scratch[worker]);
    });
    return bins;
  }

  ColumnBins bins_of_rows(u32 f, SortScratch& scratch) {
    const MatrixView column = column_view(x_, f);
    std::vector<double> values;
    values.reserve(rows_.size());
    for (const Row row : rows_) values.push_back(load(column, row));
    return bins_of_sample(values, weights_ != nullptr ? row_weights_.data() : nullptr,
                          max_bins_, rows_.size() == x_.rows, scratch, &pool_);
  }

  void encode_rest(std::vector<Column>& columns) {
    std::vector<u32> categorical;
    for (u32 f = 0; f < columns.size(); ++f)
      if (columns[f].categorical) categorical.push_back(f);
    std::vector<UninitializedVector<double>> values;
    read_whole(x_, categorical, values, &pool_);
    for (std::size_t i = 0; i < categorical.size(); ++i)
      columns[categorical[i]] = encode_categories(values[i], weights_);
  }

  const MatrixView& x_;
  const u32 max_bins_;
  const double* weights_;
  ThreadPool& pool_;
  StopToken& stop_;
  std::vector<Row> rows_;
  std::vector<double> row_weights_;
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
  if (max_bins > 0) {
    Binner(x, max_bins, weights, pool, stop).encode(columns);
    return columns;
  }
  std::vector<u32> numbers, whole;
  for (u32 f = 0; f < x.cols; ++f)
    if (!columns[f].categorical) numbers.push_back(f);
  Encoder encoder(x, weights, pool, stop, columns);
  stop.stage.begin("encoding columns", x.cols);
  // Threads share the rows of long columns.
  const std::size_t most =
      x.rows > 0xffff ? kColumnsPerPass : columns_per_block(x, pool);
  in_blocks(numbers, most, pool,
            [&](std::span<const u32> some, unsigned) { encoder.encode_few(some); });
  for (u32 f = 0; f < x.cols; ++f)
    if (columns[f].n_codes() == 0) whole.push_back(f);
  std::vector<Scratch> scratch(pool.size());
  in_blocks(whole, columns_per_block(x, pool), pool,
            [&](std::span<const u32> some, unsigned worker) {
              encoder.encode_whole(some, scratch[worker]);
            });
  return columns;
}

}  // namespace dpdtree
