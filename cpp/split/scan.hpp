// A node's rows by ascending code, from one of three sources: keys, ordered rows, or
// cells (a histogram over the codes). `scan` moves them to the left one by one.
#pragma once

#include <span>

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
    const Row r = rows[i];
    const double w = t.weighted() ? t.weight[r] : 1.0;
    if (t.classification()) {
      stats[t.label[r]] += w;
      return;
    }
    stats[0] += w;
    stats[1] += w * t.y[r];
    stats[2] += w * t.y[r] * t.y[r];
  }
};

// `present` lists the codes with at least one row.
struct CellSource {
  std::span<const u32> present;
  const Cells& cells;

  std::size_t size() const { return present.size(); }
  u32 code(std::size_t i) const { return present[i]; }
  template <class A>
  void add(A& acc, std::size_t i) const {
    acc.add_cell(cells, present[i]);
  }
  void add_to(double* stats, std::size_t i, const Targets& t) const {
    const u32 c = present[i];
    for (u32 k = 0; k < t.n_classes; ++k)
      stats[k] += t.weighted() ? cells.sum[c * t.n_classes + k]
                               : cells.count[c * t.n_classes + k];
    if (t.classification()) return;
    stats[0] += t.weighted() ? cells.weight[c] : cells.count[c];
    stats[1] += cells.sum[c];
  }
};

// Writes a boundary after each of the present codes among the first `end` items.
template <class A, class Source>
void scan(A& acc, const Source& source, std::size_t end, Boundaries& b) {
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

}  // namespace dpdtree
