#include "search/lookahead/local_bins.hpp"

#include <algorithm>

#include "data/quantile_bins.hpp"
#include "split/category_order.hpp"
#include "split/code_histogram.hpp"

namespace dpdtree {
namespace {

// Collects (code, count) pairs in ascending order of code and closes a bin whenever it
// has its share of the rows.
class BinMaker {
 public:
  BinMaker(LocalBins& bins, std::size_t n_rows, u32 max_bins, u32 missing_code)
      : bins_(bins),
        quantiles_(static_cast<double>(n_rows), max_bins, BinAim::share_of_whole),
        missing_(missing_code) {}

  void add(u32 code, u32 count) {
    if (open_ && code != missing_) {
      bins_.last.back() = code;
    } else {
      bins_.first.push_back(code);
      bins_.last.push_back(code);
    }
    open_ = !quantiles_.add(count);
  }

 private:
  LocalBins& bins_;
  QuantileBins quantiles_;
  u32 missing_;
  bool open_ = false;
};

template <class Code>
void bins_by_counting(const Code* code, std::span<const Row> rows, u32 n_codes,
                      BinMaker& maker, std::vector<u32>& count) {
  count.assign(n_codes, 0);
  for (const Row r : rows) ++count[code[r]];
  for (u32 c = 0; c < n_codes; ++c)
    if (count[c] > 0) maker.add(c, count[c]);
}

template <class Code>
void bins_by_sorting(const Code* code, std::span<const Row> rows, BinMaker& maker,
                     std::vector<u32>& codes) {
  codes.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) codes[i] = code[rows[i]];
  std::sort(codes.begin(), codes.end());
  for (std::size_t i = 0; i < codes.size();) {
    std::size_t end = i;
    while (end < codes.size() && codes[end] == codes[i]) ++end;
    maker.add(codes[i], static_cast<u32>(end - i));
    i = end;
  }
}

// Few rows: search each; many: one table over all codes.
template <class Code>
void assign(const Code* code, std::span<const Row> rows, u32 n_codes, bool few,
            LocalBins& bins) {
  bins.bin.resize(rows.size());
  if (few) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto it =
          std::lower_bound(bins.last.begin(), bins.last.end(), u32{code[rows[i]]});
      bins.bin[i] = static_cast<u8>(it - bins.last.begin());
    }
    return;
  }
  std::vector<u8> table(n_codes, 0);
  for (u32 b = 0; b < bins.size(); ++b)
    std::fill(table.begin() + bins.first[b], table.begin() + bins.last[b] + 1,
              static_cast<u8>(b));
  for (std::size_t i = 0; i < rows.size(); ++i) bins.bin[i] = table[code[rows[i]]];
}

}  // namespace

LocalBins make_local_bins(const Column& column, std::span<const Row> rows, u32 max_bins,
                          std::vector<u32>& scratch) {
  LocalBins bins;
  const u32 n_codes = column.n_codes();
  const u32 own_bins = column.n_missing > 0 ? max_bins - 1 : max_bins;
  BinMaker maker(bins, rows.size(), own_bins, column.missing_code());
  const bool few = rows.size() < n_codes / 8;
  visit_codes(column.code, [&](const auto* code) {
    few ? bins_by_sorting(code, rows, maker, scratch)
        : bins_by_counting(code, rows, n_codes, maker, scratch);
    assign(code, rows, n_codes, few, bins);
  });
  return bins;
}

LocalBins make_category_bins(const Column& column, const Targets& targets,
                             std::span<const Row> rows, u32 max_bins) {
  LocalBins bins;
  CodeHistogram cells;
  std::vector<u32> present, count(column.n_codes(), 0);
  clear_cells(targets, column.n_codes(), cells);
  visit_codes(column.code, [&](const auto* code) {
    for (u32 i = 0; i < rows.size(); ++i) {
      ++count[code[rows[i]]];
      add_to_cell(targets, i, code[rows[i]], cells);
    }
  });
  for (u32 c = 0; c < count.size(); ++c)
    if (count[c] > 0) present.push_back(c);
  const bool missing = present.back() == column.missing_code();
  if (missing) present.pop_back();
  const CellSums sums(cells, targets);
  sort_cells(present, main_order(sums, targets, present), bins.code_at);

  std::vector<u8> table(column.n_codes(), 0);
  BinMaker maker(bins, rows.size(), missing ? max_bins - 1 : max_bins,
                 column.missing_code());
  visit_codes(column.code, [&](const auto* code) {
    for (u32 index = 0; index < bins.code_at.size(); ++index) {
      const u32 c = bins.code_at[index];
      maker.add(index, count[c]);
      table[c] = static_cast<u8>(bins.size() - 1);
    }
    if (missing) {
      maker.add(column.missing_code(), count[column.missing_code()]);
      table[column.missing_code()] = static_cast<u8>(bins.size() - 1);
    }
    for (const Row r : rows) bins.bin.push_back(table[code[r]]);
  });
  return bins;
}

LocalBins with_missing_first(const LocalBins& bins) {
  LocalBins out = bins;
  out.missing_first = true;
  std::rotate(out.first.begin(), out.first.end() - 1, out.first.end());
  std::rotate(out.last.begin(), out.last.end() - 1, out.last.end());
  const u32 n = bins.size();
  for (u8& b : out.bin) b = static_cast<u8>((b + 1u) % n);
  return out;
}

}  // namespace dpdtree
