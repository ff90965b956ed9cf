// A node's rows by ascending code, from one of three sources: keys, ordered rows, or
// cells (a histogram over the codes). `scan` moves them to the left one by one.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "data/categories.hpp"
#include "split/accumulators.hpp"

namespace dpdtree {

struct KeySource {
  std::span<const u32> keys;
  u32 class_bits;

  std::size_t size() const { return keys.size(); }
  u32 code(std::size_t i) const { return keys[i] >> class_bits; }
  template <class A>
  void add(A& acc, std::size_t i) const {
    acc.add_class(keys[i] & ((1u << class_bits) - 1));
  }
  void add_to(double* stats, std::size_t i, const Targets&) const {
    stats[keys[i] & ((1u << class_bits) - 1)] += 1;
  }
};

template <class Code>
struct RowSource {
  std::span<const u32> rows;
  const Code* codes;

  std::size_t size() const { return rows.size(); }
  u32 code(std::size_t i) const { return codes[rows[i]]; }
  template <class A>
  void add(A& acc, std::size_t i) const {
    acc.add_row(rows[i]);
  }
  void add_to(double* stats, std::size_t i, const Targets& t) const {
    t.add_row(rows[i], stats);
  }
};

// `present` lists the codes with at least one row.
struct CellSource {
  std::span<const u32> present;
  const CodeHistogram& cells;

  std::size_t size() const { return present.size(); }
  u32 code(std::size_t i) const { return present[i]; }
  template <class A>
  void add(A& acc, std::size_t i) const {
    acc.add_cell(cells, present[i]);
  }
  void add_to(double* stats, std::size_t i, const Targets& t) const {
    add_cell_to(stats, t, cells, present[i]);
  }
};

class SetPrice;

// A categorical feature at a node: which category is behind each cell (empty: cells are
// codes), and the cells in the order of the current scan, missing values last.
struct CategoryScratch {
  std::vector<u32> code_of_cell;
  std::vector<u32> sorted;
  bool alone =
      false;  // boundary j stands for the j-th cell alone, not for the first ones
  const SetPrice* price = nullptr;  // taken from the decrease; null: none

  u32 code(u32 cell) const { return code_of_cell.empty() ? cell : code_of_cell[cell]; }

  SharedCategories left_of(std::size_t boundary, u32 n_codes) const {
    auto set = std::make_shared<CategorySet>(n_codes);
    for (std::size_t i = alone ? boundary : 0; i <= boundary; ++i)
      set->insert(code(sorted[i]));
    return set;
  }
};

struct CategorySource {
  const CategoryScratch& categories;
  const CodeHistogram& cells;

  std::size_t size() const { return categories.sorted.size(); }
  u32 code(std::size_t i) const { return categories.code(categories.sorted[i]); }
  template <class A>
  void add(A& acc, std::size_t i) const {
    acc.add_cell(cells, categories.sorted[i]);
  }
  void add_to(double* stats, std::size_t i, const Targets& t) const {
    CellSource{{&categories.sorted[i], 1}, cells}.add_to(stats, 0, t);
  }
};

// The same for what has to see every row: those of cell c end at ends[c].
struct CategoryRowSource {
  const CategoryScratch& categories;
  std::span<const u32> rows;  // by cell
  std::span<const u32> ends;

  std::size_t size() const { return categories.sorted.size(); }
  u32 code(std::size_t i) const { return categories.code(categories.sorted[i]); }
  template <class A>
  void add(A& acc, std::size_t i) const {
    const u32 cell = categories.sorted[i];
    for (u32 p = cell > 0 ? ends[cell - 1] : 0; p < ends[cell]; ++p)
      acc.add_row(rows[p]);
  }
};

template <class A, class Source>
void scan_items(A& acc, const Source& source, std::size_t end, LeftSums& b) {
  std::size_t j = 0;
  u32 code = end > 0 ? source.code(0) : 0;
  for (std::size_t i = 0; i < end; ++i) {
    source.add(acc, i);
    acc.emit(b, j);
    b.code[j] = code;
    const u32 next = i + 1 < end ? source.code(i + 1) : ~0u;
    j += next != code;  // the boundary stays only if the code changes here
    code = next;
  }
  b.size = j;
}

// Writes a boundary after each of the present codes among the first `end` items. Sums
// that can be moved are, for the time of the scan: as local ones they stay in registers
// instead of going to memory and back after every boundary.
template <class A, class Source>
void scan(A& acc, const Source& source, std::size_t end, LeftSums& b) {
  if constexpr (std::is_move_assignable_v<A>) {
    A local = std::move(acc);
    scan_items(local, source, end, b);
    acc = std::move(local);
  } else {
    scan_items(acc, source, end, b);
  }
}

}  // namespace dpdtree
