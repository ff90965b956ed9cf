#include "data/binned_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kStrip = 512;
constexpr std::size_t kColumnsPerTask = 8;
constexpr u32 kNone = ~0u;

}  // namespace

void BinnedEncoder::add_numbers(u32 column, ColumnBins bins) {
  Part part;
  part.source = column;
  part.search = EdgeSearch(bins.cuts);
  part.column.binned = true;
  part.column.n_values = bins.n_values();
  part.column.code = UninitializedVector<u8>(n_rows_, RawAllocator<u8>(memory_));
  if (!bins.all_known) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    bins.lower.assign(bins.lower.size(), kInfinity);
    bins.upper.assign(bins.upper.size(), -kInfinity);
  }
  part.bins = std::move(bins);
  parts_.push_back(std::move(part));
}

void BinnedEncoder::add_categories(u32 column, std::vector<u32> categories) {
  Part part;
  part.source = column;
  u32 most = 0;
  for (const u32 c : categories) most = std::max(most, c + 1);
  part.code_of.assign(most, kNone);
  for (u32 code = 0; code < categories.size(); ++code)
    part.code_of[categories[code]] = code;
  part.column.categorical = true;
  part.column.n_values = static_cast<u32>(categories.size());
  part.column.code = make_codes(n_rows_, part.column.n_values + 1, memory_);
  part.column.category = std::move(categories);
  parts_.push_back(std::move(part));
}

void BinnedEncoder::encode(const MatrixView& x, std::size_t first_row, ThreadPool& pool,
                           StopToken& stop) {
  for (const Part& part : parts_)
    if (part.source >= x.cols) throw InputError("a block of rows lacks a column");
  if (first_row + x.rows > n_rows_)
    throw InputError("a block of rows does not fit the table it belongs to");
  // Several threads share the columns; one that has many reads a few at a time, so that
  // each line of a row-major matrix is fetched once.
  const std::size_t n = parts_.size();
  const std::size_t most = (n + pool.size() - 1) / pool.size();
  const std::size_t per_task = std::clamp<std::size_t>(most, 1, kColumnsPerTask);
  const std::size_t n_tasks = (n + per_task - 1) / per_task;
  pool.parallel_for(n_tasks, [&](std::size_t task, unsigned) {
    std::vector<u32> columns;
    const std::size_t first = task * per_task;
    for (std::size_t i = first; i < std::min(n, first + per_task); ++i)
      columns.push_back(parts_[i].source);
    std::vector<double> strip(columns.size() * kStrip);
    std::vector<double*> to;
    for (std::size_t i = 0; i < columns.size(); ++i) to.push_back(&strip[i * kStrip]);
    for (std::size_t begin = 0; begin < x.rows; begin += kStrip) {
      if (stop.poll()) return;
      const std::size_t rows = std::min(kStrip, x.rows - begin);
      read_finite(x, columns, begin, begin + rows, to);
      for (std::size_t i = 0; i < columns.size(); ++i)
        encode_column(parts_[first + i], {to[i], rows}, first_row + begin);
    }
  });
}

void BinnedEncoder::encode_column(Part& part, std::span<const double> values,
                                  std::size_t first_row) {
  for (const double v : values) part.column.n_missing += std::isnan(v);
  if (part.column.categorical) return encode_categories(part, values, first_row);
  u8* code = std::get<UninitializedVector<u8>>(part.column.code).data();
  encode_numbers(part, values, code + first_row);
}

void BinnedEncoder::encode_numbers(Part& part, std::span<const double> values,
                                   u8* code) const {
  const auto missing = static_cast<u8>(part.column.n_values);
  for (std::size_t i = 0; i < values.size(); ++i)
    code[i] = std::isnan(values[i]) ? missing
                                    : static_cast<u8>(part.search.n_below(values[i]));
  if (part.bins.all_known) return;
  double *lower = part.bins.lower.data(), *upper = part.bins.upper.data();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (code[i] == missing) continue;
    const double v = values[i] + 0.0;
    lower[code[i]] = std::min(lower[code[i]], v);
    upper[code[i]] = std::max(upper[code[i]], v);
  }
}

void BinnedEncoder::encode_categories(Part& part, std::span<const double> values,
                                      std::size_t first_row) const {
  std::visit(
      [&](auto& codes) {
        using Code = typename std::decay_t<decltype(codes)>::value_type;
        for (std::size_t i = 0; i < values.size(); ++i) {
          u32 code = part.column.n_values;
          if (!std::isnan(values[i])) {
            const double v = values[i];
            const bool known = v >= 0 && v < static_cast<double>(part.code_of.size()) &&
                               v == std::floor(v);
            code = known ? part.code_of[static_cast<std::size_t>(v)] : kNone;
            if (code == kNone)
              throw InputError(
                  "a categorical column holds a category that was not "
                  "there when categories were counted");
          }
          codes[first_row + i] = static_cast<Code>(code);
        }
      },
      part.column.code);
}

std::vector<Column> BinnedEncoder::finish() {
  std::vector<Column> columns;
  for (Part& part : parts_) {
    part.column.lower = std::move(part.bins.lower);
    part.column.upper = std::move(part.bins.upper);
    columns.push_back(std::move(part.column));
  }
  parts_.clear();
  return columns;
}

}  // namespace dpdtree
