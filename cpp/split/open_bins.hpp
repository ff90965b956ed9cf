// The bins of a feature that are to be looked into, and the rows of a node in them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "split/accumulator_traits.hpp"
#include "split/block_scan.hpp"
#include "split/feasible.hpp"
#include "split/gini_counts.hpp"
#include "split/node_bins.hpp"

namespace dpdtree {

// The bins of a feature, and what they hold of a node.
struct OpenBins {
  static constexpr std::size_t kBins = CoarseCodes::kBins;
  std::array<bool, kBins + 1> open{};   // those that are to be looked into
  std::array<i32, kBins + 1> n{}, c{};  // rows, and rows of class 1, left of each

  // `b` has those behind each of m bins; there is nothing in others.
  OpenBins(const LeftSums& b, std::size_t m) {
    std::copy_n(b.n.begin(), m, n.begin() + 1);
    std::fill(n.begin() + 1 + static_cast<std::ptrdiff_t>(m), n.end(), b.n[m - 1]);
  }
  template <class Left>  // left.rows(i): those left of bin i of m
  OpenBins(const Left& left, std::size_t m)
    requires requires { left.rows(m); }
  {
    for (std::size_t i = 0; i <= kBins; ++i)
      n[i] = static_cast<i32>(left.rows(std::min(i, m)));
  }
  bool is_empty(std::size_t bin) const { return n[bin] == n[bin + 1]; }
};

// Where the codes of a bin start; those of a value before may reach into it.
inline std::size_t position_of_bin(const NodeBins& bins, const ColumnOrder& order,
                                   std::size_t bin) {
  const std::size_t position = bins.first_position(bin);
  return next_start(order, std::min(position, order.sorted.size()));
}

// True if all rows are in one bin; `b` has those behind each of m.
inline bool in_one_bin(const LeftSums& b, std::size_t m) {
  const auto end = b.n.begin() + static_cast<std::ptrdiff_t>(m);
  const auto first = std::find_if(b.n.begin(), end, [](i32 rows) { return rows > 0; });
  return first == end || *first == b.n[m - 1];
}

// What remains to be told of a feature. Where values share bins it is not constant:
// else all rows would be in one bin, which nothing could keep closed.
inline bool leave(const NodeBins& bins, u32 f, bool error_bound, BlockBest& found) {
  found.n_boundaries = bins.bounds(f).constant ? 0 : 1;
  if (error_bound) found.most_correct = std::max(found.most_correct, bins.correct);
  return true;
}

// False if it is better to look at all rows.
template <class A>
bool few_are_open(const NodeBins& bins, u32 f, const ColumnOrder& order,
                  const OpenBins& opened, std::size_t n_rows) {
  constexpr std::size_t kMostShare = 3;  // of the rows
  constexpr std::size_t kMostPositions =
      4;  // a row, as all rows of a bin are looked at
  std::size_t n_open = 0, n_positions = 0;
  for (std::size_t i = 0; i < OpenBins::kBins; ++i) {
    if (!opened.open[i]) continue;
    n_open += static_cast<std::size_t>(opened.n[i + 1] - opened.n[i]);
    if (has_weights<A>() || bins.layout(f) != CoarseCodes::Layout::positions) continue;
    n_positions +=
        position_of_bin(bins, order, i + 1) - position_of_bin(bins, order, i);
  }
  return n_open * kMostShare <= n_rows && n_positions <= kMostPositions * n_rows;
}

// The positions of the bins [first, end), and of the next row of the node, bins away
// perhaps: the last boundary lies before it.
inline MemberWords words_of_bins(const NodeBins& bins, const ColumnOrder& order,
                                 const OpenBins& found, std::size_t first,
                                 std::size_t end) {
  const std::size_t n_all = order.sorted.size();
  std::size_t next = end;
  while (next < OpenBins::kBins && found.is_empty(next)) ++next;
  std::size_t row = next < OpenBins::kBins ? position_of_bin(bins, order, next) : n_all;
  while (row < n_all && !bins.contains(order.sorted[row])) ++row;
  return {order, bins, position_of_bin(bins, order, first),
          position_of_bin(bins, order, end), row};
}

// Calls f(first, words) for each run of open bins: the first of them, and the positions
// of its rows.
template <class F>
void visit_open(const NodeBins& bins, const ColumnOrder& order, const OpenBins& opened,
                F&& f) {
  for (std::size_t i = 0; i < OpenBins::kBins; ++i) {
    if (!opened.open[i]) continue;
    const std::size_t first = i;
    while (opened.open[i + 1]) ++i;
    f(first, words_of_bins(bins, order, opened, first, i + 1));
  }
}

// The best boundary of a column whose values have bins of their own: `b` has those
// behind each of the n bins.
template <class A>
void compare_own(const A& acc, const LeftSums& b, std::size_t n, const NodeView& node,
                 const SplitLimits& limits, BlockBest& found) {
  const auto [lo, hi] = feasible(b, 0, n, writes_weights<A>(), node, limits);
  const BestBoundary best = acc.best(b, lo, hi, found.score);
  if (best.boundary == BestBoundary::kNone) return;
  found.found = true;
  found.score = best.score;
  found.tie = best.tie;
  found.left = static_cast<u32>(best.boundary);
  found.right = found.left + 1;
  while (b.n[found.right] == b.n[found.left]) ++found.right;
}

// A 1 for open bins and for the next bin with any row behind each run of them: its
// first row closes the last boundary.
inline std::array<u8, OpenBins::kBins> wanted_bins(const OpenBins& opened) {
  std::array<u8, OpenBins::kBins> wanted{};
  bool before = false;  // the last bin with any row was open
  for (std::size_t i = 0; i < OpenBins::kBins; ++i) {
    if (opened.is_empty(i)) continue;
    wanted[i] = opened.open[i] || before ? 1 : 0;
    before = opened.open[i];
  }
  return wanted;
}

// The rows of a node in wanted bins, by ascending code. make(code, row) is a key;
// whatever follows the code in it may come in any order.
template <class Key, class Make>
std::vector<Key> sorted_keys(const NodeBins& bins, u32 f, const Column& column,
                             const NodeView& node, const OpenBins& opened, Make make) {
  const auto wanted = wanted_bins(opened);
  std::vector<Key> keys(node.rows.size());
  std::size_t n = 0;
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : node.rows) {  // without a branch
      keys[n] = make(code[r], r);
      n += wanted[bins.bin(f, r)];
    }
  });
  keys.resize(n);
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Code and class.
struct OpenClasses {
  u32 bits;
  std::vector<u32> keys;

  OpenClasses(const NodeBins& bins, u32 f, const Column& column, const Targets& t,
              const NodeView& node, const OpenBins& opened)
      : bits(static_cast<u32>(std::bit_width(t.n_classes - 1))),
        keys(sorted_keys<u32>(bins, f, column, node, opened,
                              [&](u32 c, Row r) { return c << bits | t.label[r]; })) {}
  std::size_t size() const { return keys.size(); }
  u32 code(std::size_t i) const { return keys[i] >> bits; }
  KeySource source(std::size_t at, std::size_t n) const {
    return {{keys.data() + at, n}, bits};
  }
};

// Weights are found by row.
struct WeighedRows {
  std::span<const u64> keys;

  std::size_t size() const { return keys.size(); }
  u32 code(std::size_t i) const { return static_cast<u32>(keys[i] >> 32); }
  template <class A>
  void add(A& acc, std::size_t i) const {
    acc.add_row(static_cast<Row>(keys[i]));
  }
};

struct OpenRows {
  std::vector<u64> keys;

  OpenRows(const NodeBins& bins, u32 f, const Column& column, const NodeView& node,
           const OpenBins& opened)
      : keys(sorted_keys<u64>(bins, f, column, node, opened,
                              [](u32 c, Row r) { return u64{c} << 32 | r; })) {}
  std::size_t size() const { return keys.size(); }
  u32 code(std::size_t i) const { return static_cast<u32>(keys[i] >> 32); }
  WeighedRows source(std::size_t at, std::size_t n) const {
    return {{keys.data() + at, n}};
  }
};

// Compares the boundaries within open bins of codes. start(first): the accumulator
// begins with the rows left of this bin.
template <class Keys, class A, class Start>
void compare_shared(const NodeBins& bins, u32 f, const Keys& keys, const NodeView& node,
                    const SplitLimits& limits, bool error_bound, const OpenBins& opened,
                    A& acc, Start&& start, LeftSums& b, BlockBest& found) {
  b.reserve(keys.size() + 1, parts_written<A>());
  std::size_t at = 0;
  for (std::size_t i = 0; i < OpenBins::kBins; ++i) {
    if (!opened.open[i]) continue;
    const std::size_t first = i;
    while (opened.open[i + 1]) ++i;
    const u32 begin_code = bins.first_code(f, first);
    const u32 end_code = bins.first_code(f, i + 1);
    while (keys.code(at) < begin_code) ++at;
    std::size_t end = at;
    while (end < keys.size() && keys.code(end) < end_code) ++end;
    const std::size_t n = std::min(end + 1, keys.size()) - at;
    start(first);
    write_boundaries(acc, keys.source(at, n), n, b);
    const auto [lo, hi] = feasible(b, 0, b.size - 1, writes_weights<A>(), node, limits);
    take(acc.best(b, lo, hi, found.score), b, found);
    found.n_boundaries = 1;
    if constexpr (A::kMajorityFromPrefix) {
      if (error_bound)
        found.most_correct = std::max(found.most_correct, acc.most_correct(b, lo, hi));
    }
    at = end;
  }
}

// Compares the boundaries within open bins. start(first): as there.
template <class A, class Start>
void compare_open(const NodeBins& bins, u32 f, const Column& column,
                  const Targets& targets, A& acc, const NodeView& node,
                  const SplitLimits& limits, bool error_bound, const OpenBins& opened,
                  Start&& start, LeftSums& b, BlockBest& found) {
  const auto compare = [&](const auto& keys) {
    compare_shared(bins, f, keys, node, limits, error_bound, opened, acc, start, b,
                   found);
  };
  if constexpr (has_weights<A>())
    return compare(OpenRows(bins, f, column, node, opened));
  else if (bins.layout(f) == CoarseCodes::Layout::shared)
    return compare(OpenClasses(bins, f, column, targets, node, opened));
  else
    visit_open(bins, column.order, opened, [&](std::size_t first, auto words) {
      start(first);
      compare_blocks(acc, column.order, words, node, limits, error_bound, b, found);
    });
}

}  // namespace dpdtree
