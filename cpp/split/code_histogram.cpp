#include "split/code_histogram.hpp"

#include <algorithm>
#include <numeric>

namespace dpdtree {
namespace {

template <class T>
void zero(std::vector<T>& v, std::size_t n) {
  if (v.size() < n) v.resize(n);
  std::fill(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n), T{0});
}

// Two tables in turn: rows in a row often hit the same cell, and an increment has to
// wait for the one before it.
template <class Code>
void count_classes(const Code* code, const Targets& t, std::span<const Row> rows,
                   u32 n_cells, CodeHistogram& cells) {
  constexpr u32 kTwoTables = 4096;
  const u32 k_max = t.n_classes;
  const u16* label = t.label.data();
  const bool two = n_cells <= kTwoTables && rows.size() > n_cells;
  zero(cells.count, two ? 2 * n_cells : n_cells);
  u32* even = cells.count.data();
  u32* odd = two ? even + n_cells : even;
  std::size_t i = 0;
  for (; i + 1 < rows.size(); i += 2) {
    const Row r = rows[i], s = rows[i + 1];
    ++even[code[r] * k_max + label[r]];
    ++odd[code[s] * k_max + label[s]];
  }
  if (i < rows.size()) ++even[code[rows[i]] * k_max + label[rows[i]]];
  for (u32 c = 0; two && c < n_cells; ++c) even[c] += odd[c];
}

template <class Code>
void sum_classes(const Code* code, const Targets& t, std::span<const Row> rows,
                 u32 n_codes, CodeHistogram& cells) {
  zero(cells.count, n_codes);
  zero(cells.sum, std::size_t{n_codes} * t.n_classes);
  for (const Row r : rows) {
    ++cells.count[code[r]];
    cells.sum[std::size_t{code[r]} * t.n_classes + t.label[r]] += t.weight[r];
  }
}

// Four tables in turn, for the same reason: a sum takes longer still to be read again.
// Targets are rounded so that sums are exact (see targets.hpp), as a rule, and what is
// not depends on the rows alone.
template <class Code>
void sum_numbers(const Code* code, const double* y, std::span<const Row> rows,
                 u32 n_codes, CodeHistogram& cells) {
  constexpr std::size_t kTables = 4;
  constexpr u32 kMostCodes = 1024;
  const bool four = n_codes <= kMostCodes && rows.size() > 2 * kTables * n_codes;
  const std::size_t stride = four ? n_codes : 0;
  zero(cells.count, four ? kTables * n_codes : n_codes);
  zero(cells.sum, four ? kTables * n_codes : n_codes);
  u32* count = cells.count.data();
  double* sum = cells.sum.data();
  const auto add = [=](Row r, std::size_t first) {
    ++count[first + code[r]];
    sum[first + code[r]] += y[r];
  };
  std::size_t i = 0;
  for (; i + kTables <= rows.size(); i += kTables)
    for (std::size_t j = 0; j < kTables; ++j) add(rows[i + j], j * stride);
  for (; i < rows.size(); ++i) add(rows[i], 0);
  for (std::size_t j = 1; j < kTables && four; ++j)
    for (u32 c = 0; c < n_codes; ++c) {
      count[c] += count[j * stride + c];
      sum[c] += sum[j * stride + c];
    }
}

template <class Code>
void sum_targets(const Code* code, const Targets& t, std::span<const Row> rows,
                 u32 n_codes, CodeHistogram& cells) {
  if (!t.weighted()) return sum_numbers(code, t.y.data(), rows, n_codes, cells);
  zero(cells.count, n_codes);
  zero(cells.sum, n_codes);
  zero(cells.weight, n_codes);
  for (const Row r : rows) {
    ++cells.count[code[r]];
    cells.sum[code[r]] += t.moment(t.weight[r], t.y[r]);
    cells.weight[code[r]] += t.weight[r];
  }
}

template <class Code>
void sum_statistics(const Code* code, const Targets& t, std::span<const Row> rows,
                    u32 n_codes, CodeHistogram& cells) {
  const std::size_t width = t.stats_width();
  zero(cells.count, n_codes);
  zero(cells.sum, n_codes * width);
  for (const Row r : rows) {
    ++cells.count[code[r]];
    t.add_general_row(r, cells.sum.data() + code[r] * width);
  }
}

bool per_class(const Targets& t) {
  return t.classification() && !t.weighted() && !t.general;
}

void fill(const Column& column, const Targets& t, std::span<const Row> rows,
          CodeHistogram& cells) {
  const u32 n_codes = column.n_codes();
  visit_codes(column.code, [&](const auto* code) {
    if (t.general)
      sum_statistics(code, t, rows, n_codes, cells);
    else if (per_class(t))
      count_classes(code, t, rows, n_codes * t.n_classes, cells);
    else if (t.classification())
      sum_classes(code, t, rows, n_codes, cells);
    else
      sum_targets(code, t, rows, n_codes, cells);
  });
}

template <class T>
void add(std::vector<T>& sum, const std::vector<T>& part) {
  if (sum.size() < part.size()) sum.resize(part.size(), T{0});
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
}

// The codes with at least one row. No branch: in small nodes nobody can predict it.
void list_present(const u32* count, u32 n_codes, u32 width, std::vector<u32>& present) {
  present.resize(n_codes);
  std::size_t n = 0;
  const auto list = [&](auto any_row) {
    for (u32 c = 0; c < n_codes; ++c) {
      present[n] = c;
      n += any_row(count + std::size_t{c} * width) != 0;
    }
  };
  if (width == 1)
    list([](const u32* m) { return *m; });
  else if (width == 2)
    list([](const u32* m) { return m[0] | m[1]; });
  else
    list([width](const u32* m) { return std::accumulate(m, m + width, 0u); });
  present.resize(n);
}

}  // namespace

void copy_cells(std::span<const u32> counts, const Targets& t, CodeHistogram& cells,
                std::vector<u32>& present) {
  cells.count.assign(counts.begin(), counts.end());
  list_present(counts.data(), static_cast<u32>(counts.size() / t.n_classes),
               t.n_classes, present);
}

void clear_cells(const Targets& t, std::size_t n_cells, CodeHistogram& cells) {
  zero(cells.count, n_cells * std::max(1u, t.n_classes));
  zero(cells.sum, n_cells * cell_width(t));
  zero(cells.weight, n_cells);
}

void add_to_cell(const Targets& t, Row r, u32 cell, CodeHistogram& cells) {
  if (t.general) {
    ++cells.count[cell];
    return t.add_general_row(r, cells.sum.data() + cell * t.stats_width());
  }
  if (t.classification()) {
    const std::size_t i = std::size_t{cell} * t.n_classes + t.label[r];
    if (!t.weighted()) {
      ++cells.count[i];
      return;
    }
    ++cells.count[cell];
    cells.sum[i] += t.weight[r];
    return;
  }
  const double w = t.weighted() ? t.weight[r] : 1.0;
  ++cells.count[cell];
  cells.sum[cell] += t.moment(w, t.y[r]);
  if (t.weighted()) cells.weight[cell] += w;
}

void fill_cells_of_sorted(const Column& column, const Targets& t,
                          std::span<const Row> rows, CodeHistogram& cells,
                          std::vector<u32>& present, std::vector<u32>& code_of_cell) {
  clear_cells(t, rows.size(), cells);
  present.clear();
  code_of_cell.clear();
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : rows) {
      if (code_of_cell.empty() || code_of_cell.back() != code[r]) {
        present.push_back(static_cast<u32>(present.size()));
        code_of_cell.push_back(code[r]);
      }
      add_to_cell(t, r, present.back(), cells);
    }
  });
}

bool fills_by_pieces(const Column& column, const Targets& t, std::size_t n_rows) {
  constexpr std::size_t kMostCells = 8192;
  constexpr std::size_t kLeastRows = 16'384;
  return n_rows >= kLeastRows &&
         std::size_t{column.n_codes()} * cell_width(t) <= kMostCells;
}

void fill_cells(const Column& column, const Targets& t, std::span<const Row> rows,
                CodeHistogram& cells, std::vector<u32>& present, ThreadPool* pool) {
  const std::size_t n = rows.size();
  std::size_t pieces = 1;
  if (fills_by_pieces(column, t, n))
    pieces = t.exact_sums() ? n_pieces(pool, n) : n_fixed_pieces(n);
  if (pieces == 1) {
    fill(column, t, rows, cells);
  } else {
    std::vector<CodeHistogram> part(pieces);
    for_pieces(pool, n, pieces, [&](std::size_t begin, std::size_t end, std::size_t p) {
      fill(column, t, rows.subspan(begin, end - begin), part[p]);
    });
    cells = {};
    for (const CodeHistogram& one : part) {
      add(cells.count, one.count);
      add(cells.sum, one.sum);
      add(cells.weight, one.weight);
    }
  }
  list_present(cells.count.data(), column.n_codes(), per_class(t) ? t.n_classes : 1,
               present);
}

}  // namespace dpdtree
