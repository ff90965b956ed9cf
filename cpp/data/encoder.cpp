#include "data/encoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "data/categories.hpp"
#include "data/radix_sort.hpp"

namespace dpdtree {
namespace {

// A cache line of doubles: reading this many columns of a C-ordered matrix together
// touches each line of memory once.
constexpr std::size_t kColumnsPerBlock = 8;

template <class T>
void read_block(const MatrixView& x, std::size_t first, std::size_t count,
                std::vector<std::vector<double>>& out) {
  for (std::size_t c = 0; c < count; ++c) out[c].resize(x.rows);
  const auto offset = [](std::size_t i, std::ptrdiff_t stride) {
    return static_cast<std::ptrdiff_t>(i) * stride;
  };
  if (x.row_stride < x.col_stride) {
    for (std::size_t c = 0; c < count; ++c) {
      const std::byte* p = x.data + offset(first + c, x.col_stride);
      for (std::size_t i = 0; i < x.rows; ++i, p += x.row_stride)
        out[c][i] = load_as_double<T>(p);
    }
    return;
  }
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::byte* p = x.data + offset(i, x.row_stride) + offset(first, x.col_stride);
    for (std::size_t c = 0; c < count; ++c, p += x.col_stride)
      out[c][i] = load_as_double<T>(p);
  }
}

MatrixView column_view(const std::vector<double>& values) {
  MatrixView view;
  view.data = reinterpret_cast<const std::byte*>(values.data());
  view.dtype = DType::f64;
  view.rows = values.size();
  view.cols = 1;
  view.row_stride = sizeof(double);
  view.col_stride = static_cast<std::ptrdiff_t>(values.size() * sizeof(double));
  return view;
}

// The distinct values of a column of at most kFewValues of them, found by hashing
// instead of sorting; gives up at once on others.
class FewValues {
 public:
  // The slot of the value, or -1 if there are too many values.
  int slot_of(double value) {
    const u64 bits = std::bit_cast<u64>(value + 0.0);
    u32 h = static_cast<u32>((bits * 0x9e3779b97f4a7c15ULL) >> (64 - kLogSize));
    for (;; h = (h + 1) & (kSize - 1)) {
      if (slot_[h] < 0) break;
      if (key_[h] == bits) return slot_[h];
    }
    if (values.size() == kFewValues) return -1;
    key_[h] = bits;
    slot_[h] = static_cast<int>(values.size());
    values.push_back(value + 0.0);
    return slot_[h];
  }

  FewValues() { slot_.fill(-1); }
  std::vector<double> values;

 private:
  static constexpr u32 kLogSize = 10;
  static constexpr u32 kSize = 1u << kLogSize;
  std::array<u64, kSize> key_;
  std::array<int, kSize> slot_;
};

std::optional<Column> encode_few_values(const std::vector<double>& values) {
  FewValues few;
  const std::size_t n = values.size();
  std::vector<u8> slot(n);
  u32 n_missing = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(values[i])) {
      ++n_missing;
      slot[i] = kFewValues;
      continue;
    }
    const int s = few.slot_of(values[i]);
    if (s < 0) return std::nullopt;
    slot[i] = static_cast<u8>(s);
  }
  Column column;
  column.lower = few.values;
  std::sort(column.lower.begin(), column.lower.end());
  column.n_values = static_cast<u32>(column.lower.size());
  column.n_missing = n_missing;
  std::array<u8, kFewValues + 1> rank_of_slot{};
  for (u32 s = 0; s < column.n_values; ++s)
    rank_of_slot[s] = static_cast<u8>(column.cut_of(few.values[s]) - 1);
  rank_of_slot[kFewValues] = static_cast<u8>(column.n_values);
  for (u8& s : slot) s = rank_of_slot[s];
  column.code = std::move(slot);
  return column;
}

// Exact ranks from the sorted order, which the column keeps.
Column encode_many_values(const std::vector<double>& values) {
  const std::size_t n = values.size();
  std::vector<u32> order = sorted_rows(values);
  const auto present = static_cast<u32>(order.size());

  Column column;
  column.n_missing = static_cast<u32>(n - present);
  for (u32 i = 0; i < present; ++i)
    if (i == 0 || values[order[i]] != values[order[i - 1]])
      column.lower.push_back(values[order[i]] + 0.0);
  column.n_values = static_cast<u32>(column.lower.size());

  column.code = make_codes(n, column.n_codes(), column.n_values);
  std::visit(
      [&](auto& code) {
        using Code = typename std::decay_t<decltype(code)>::value_type;
        u32 rank = 0;
        for (u32 i = 0; i < present; ++i) {
          if (i > 0 && values[order[i]] != values[order[i - 1]]) ++rank;
          code[order[i]] = static_cast<Code>(rank);
        }
      },
      column.code);

  for (u32 row = 0; column.n_missing > 0 && row < n; ++row)
    if (std::isnan(values[row])) order.push_back(row);
  column.has_order = true;
  column.position_is_code = column.n_values == n;
  if (!column.position_is_code) {
    column.position = make_codes(n, static_cast<u32>(n), 0);
    std::visit(
        [&](auto& position) {
          using Code = typename std::decay_t<decltype(position)>::value_type;
          for (u32 i = 0; i < n; ++i) position[order[i]] = static_cast<Code>(i);
        },
        column.position);
  }
  column.sorted = std::move(order);
  return column;
}

// Groups ascending ranks into at most max_bins bins of about equal weight. The limits
// accumulate (bin b ends where the running weight passes b+1 shares of the whole), so
// that no tail is left over for the last bin.
std::vector<u32> bins_of_ranks(const std::vector<double>& rank_weight, u32 max_bins) {
  double total = 0;
  for (const double w : rank_weight) total += w;
  const std::size_t n_ranks = rank_weight.size();
  std::vector<u32> bin(n_ranks, 0);
  double seen = 0;
  u32 current = 0;
  for (std::size_t r = 0; r < n_ranks; ++r) {
    bin[r] = current;
    seen += rank_weight[r];
    const bool full = seen >= total * (current + 1) / max_bins;
    if (!full || r + 1 == n_ranks) continue;
    current = std::min(current + 1, max_bins - 1);
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
    bin = bins_of_ranks(rank_weight, max_bins);

  Column column;
  column.binned = true;
  column.n_missing = exact.n_missing;
  column.n_values = exact.n_values == 0 ? 0 : bin.back() + 1;
  column.lower.resize(column.n_values);
  column.upper.resize(column.n_values);
  for (u32 r = exact.n_values; r-- > 0;) column.lower[bin[r]] = exact.lower[r];
  for (u32 r = 0; r < exact.n_values; ++r) column.upper[bin[r]] = exact.lower[r];
  column.code = make_codes(n, column.n_codes(), column.n_values);
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

}  // namespace

Column encode_column(const std::vector<double>& values, u32 max_bins,
                     const double* weights) {
  auto few = encode_few_values(values);
  Column exact = few ? std::move(*few) : encode_many_values(values);
  if (max_bins == 0) return exact;
  return bin_column(exact, values.size(), max_bins, weights);
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
  // (all of them need work).
  std::size_t per_block = x.rows > 0xffff ? kColumnsPerBlock / 2 : kColumnsPerBlock;
  while (per_block > 1 && x.cols < per_block * pool.size() * 2) per_block /= 2;
  const std::size_t n_blocks = (x.cols + per_block - 1) / per_block;
  pool.parallel_for(n_blocks, [&](std::size_t block, unsigned) {
    const std::size_t first = block * per_block;
    const std::size_t count = std::min(per_block, x.cols - first);
    std::vector<std::vector<double>> buffer(count);
    if (stop.poll()) return;
    visit_dtype(x.dtype, [&](auto* tag) {
      using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
      read_block<T>(x, first, count, buffer);
    });
    for (std::size_t c = 0; c < count; ++c) {
      if (stop.poll()) return;
      check_finite(column_view(buffer[c]));
      Column& column = columns[first + c];
      column = column.categorical ? encode_categories(buffer[c], weights)
                                  : encode_column(buffer[c], max_bins, weights);
      std::vector<double>().swap(buffer[c]);
    }
  });
  return columns;
}

}  // namespace dpdtree
