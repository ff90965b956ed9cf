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
#include "data/ordered_column.hpp"

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

template <class T>
void read_rows(const MatrixView& x, std::size_t first, std::size_t begin,
               std::size_t end, std::vector<std::vector<double>>& out) {
  const auto at = [&](std::size_t row, std::size_t col) {
    return x.data + static_cast<std::ptrdiff_t>(row) * x.row_stride +
           static_cast<std::ptrdiff_t>(col) * x.col_stride;
  };
  if (x.row_stride < x.col_stride) {
    for (std::size_t c = 0; c < out.size(); ++c) {
      const std::byte* p = at(begin, first + c);
      for (std::size_t i = begin; i < end; ++i, p += x.row_stride)
        out[c][i] = load_as_double<T>(p);
    }
    return;
  }
  for (std::size_t i = begin; i < end; ++i) {
    const std::byte* p = at(i, first);
    for (std::size_t c = 0; c < out.size(); ++c, p += x.col_stride)
      out[c][i] = load_as_double<T>(p);
  }
}

void check_rows(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  check_finite(column_view(values.data() + begin, end - begin));
}

// What a thread needs to encode columns.
struct Scratch {
  std::vector<std::vector<double>> values;
  SortScratch sort;
};

// Columns first, first + 1, … as doubles.
void read_block(const MatrixView& x, std::size_t first, std::size_t count,
                std::vector<std::vector<double>>& out, ThreadPool* pool) {
  out.resize(count);
  for (auto& column : out) column.resize(x.rows);
  const std::size_t pieces = n_pieces(pool, x.rows);
  for_pieces(pool, x.rows, pieces,
             [&](std::size_t begin, std::size_t end, std::size_t) {
               visit_dtype(x.dtype, [&](auto* tag) {
                 using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
                 read_rows<T>(x, first, begin, end, out);
               });
               for (const auto& column : out) check_rows(column, begin, end);
             });
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

// One piece of a column: the slot of each row's value, kMissingSlot if it is missing.
struct PieceOfFew {
  static constexpr u8 kMissingSlot = kFewValues - 1;
  FewValues few;
  u32 n_missing = 0;
  bool failed = false;

  bool full() const { return few.values.size() + (n_missing > 0) > kFewValues; }

  void read(const std::vector<double>& values, std::size_t begin, std::size_t end,
            u8* slot) {
    for (std::size_t i = begin; i < end && !failed; ++i) {
      if (std::isnan(values[i])) {
        slot[i] = kMissingSlot;
        failed = n_missing++ == 0 && full();
      } else {
        const int s = few.slot_of(values[i]);
        slot[i] = static_cast<u8>(s);
        failed = s < 0 || (s == kMissingSlot && full());
      }
    }
  }
};

std::optional<Column> encode_few_values(const std::vector<double>& values,
                                        ThreadPool* pool) {
  const std::size_t n = values.size();
  RawVector<u8> slot(n);
  std::vector<PieceOfFew> pieces(n_pieces(pool, n));
  for_pieces(pool, n, pieces.size(),
             [&](std::size_t begin, std::size_t end, std::size_t p) {
               pieces[p].read(values, begin, end, slot.data());
             });
  FewValues all;
  Column column;
  for (const PieceOfFew& piece : pieces) {
    if (piece.failed) return std::nullopt;
    column.n_missing += piece.n_missing;
    for (const double v : piece.few.values)
      if (all.slot_of(v) < 0) return std::nullopt;
  }
  column.lower = all.values;
  std::sort(column.lower.begin(), column.lower.end());
  column.n_values = static_cast<u32>(column.lower.size());
  if (column.n_codes() > kFewValues) return std::nullopt;
  for_pieces(pool, n, pieces.size(),
             [&](std::size_t begin, std::size_t end, std::size_t p) {
               const PieceOfFew& piece = pieces[p];
               std::array<u8, kFewValues> rank{};
               for (std::size_t s = 0; s < piece.few.values.size(); ++s)
                 rank[s] = static_cast<u8>(column.cut_of(piece.few.values[s]) - 1);
               if (piece.n_missing > 0)
                 rank[PieceOfFew::kMissingSlot] = static_cast<u8>(column.n_values);
               for (std::size_t i = begin; i < end; ++i) slot[i] = rank[slot[i]];
             });
  column.code = std::move(slot);
  return column;
}

// Groups ascending ranks into at most max_bins bins of about equal weight. The limits
// accumulate (bin b ends where the running weight passes b+1 shares of the whole), so
// that no tail is left over for the last bin.
std::vector<u32> bins_of_ranks(const Column& exact,
                               const std::vector<double>& rank_weight, u32 max_bins) {
  double total = 0;
  for (const double w : rank_weight) total += w;
  const std::size_t n_ranks = rank_weight.size();
  std::vector<u32> bin(n_ranks, 0);
  double seen = 0;
  u32 current = 0;
  for (std::size_t r = 0; r < n_ranks; ++r) {
    if (!exact.occurs(r)) {
      bin[r] = bin[r - 1];
      continue;
    }
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

Column encode_column(const std::vector<double>& values, const MatrixView& x,
                     u32 max_bins, const double* weights, SortScratch& scratch,
                     ThreadPool* pool) {
  auto few = encode_few_values(values, pool);
  Column exact = few ? std::move(*few) : encode_many_values(values, x, scratch, pool);
  if (max_bins == 0) return exact;
  return bin_column(exact, values.size(), max_bins, weights);
}

}  // namespace

Column encode_column(const std::vector<double>& values, u32 max_bins,
                     const double* weights) {
  SortScratch scratch;
  return encode_column(values, column_view(values.data(), values.size()), max_bins,
                       weights, scratch, nullptr);
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
  const auto encode_block = [&](std::size_t block, unsigned worker) {
    Scratch& own = scratch[worker];
    const std::size_t first = block * per_block;
    const std::size_t count = std::min(per_block, x.cols - first);
    if (stop.poll()) return;
    read_block(x, first, count, own.values, &pool);
    for (std::size_t c = 0; c < count; ++c) {
      if (stop.poll()) return;
      Column& column = columns[first + c];
      const std::vector<double>& values = own.values[c];
      column = column.categorical ? encode_categories(values, weights)
                                  : encode_column(values, column_view(x, first + c),
                                                  max_bins, weights, own.sort, &pool);
    }
  };
  pool.parallel_for(n_blocks, encode_block);
  return columns;
}

}  // namespace dpdtree
