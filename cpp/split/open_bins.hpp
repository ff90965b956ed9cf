// The bins of a feature that are to be looked into, and the rows of a node in them.
#pragma once

#include <algorithm>
#include <array>

#include "split/node_bins.hpp"

namespace dpdtree {

// The bins of a feature, and what they hold of a node.
struct OpenBins {
  static constexpr std::size_t kBins = CoarseCodes::kBins;
  std::array<bool, kBins + 1> open{};   // those that are to be looked into
  std::array<i32, kBins + 1> n{}, c{};  // rows, and rows of class 1, left of each

  bool is_empty(std::size_t bin) const { return n[bin] == n[bin + 1]; }
};

// Where the codes of a bin start; those of a value before may reach into it.
inline std::size_t place_of_bin(const NodeBins& bins, const ColumnOrder& order,
                                std::size_t bin) {
  const std::size_t place = bins.codes().first_place(static_cast<u32>(bin));
  return next_start(order, std::min(place, order.sorted.size()));
}

// False if it is better to look at all rows.
inline bool few_are_open(const NodeBins& bins, const ColumnOrder& order,
                         const OpenBins& look, std::size_t n_rows) {
  constexpr std::size_t kMostShare = 3;   // of the rows
  constexpr std::size_t kMostPlaces = 4;  // a row, as all rows of a bin are looked at
  std::size_t n_open = 0, n_places = 0;
  for (std::size_t i = 0; i < OpenBins::kBins; ++i) {
    if (!look.open[i]) continue;
    n_open += static_cast<std::size_t>(look.n[i + 1] - look.n[i]);
    n_places += place_of_bin(bins, order, i + 1) - place_of_bin(bins, order, i);
  }
  return n_open * kMostShare <= n_rows && n_places <= kMostPlaces * n_rows;
}

// The places of the bins [first, end), and of the next row of the node, bins away
// perhaps: the last boundary lies before it.
inline MemberWords words_of_bins(const NodeBins& bins, const ColumnOrder& order,
                                 const OpenBins& found, std::size_t first,
                                 std::size_t end) {
  const std::size_t n_all = order.sorted.size();
  std::size_t next = end;
  while (next < OpenBins::kBins && found.is_empty(next)) ++next;
  std::size_t row = next < OpenBins::kBins ? place_of_bin(bins, order, next) : n_all;
  while (row < n_all && !bins.contains(order.sorted[row])) ++row;
  return {order, bins, place_of_bin(bins, order, first), place_of_bin(bins, order, end),
          row};
}

// Calls f(first, words) for each run of open bins: the first of them, and the places of
// its rows.
template <class F>
void look_into(const NodeBins& bins, const ColumnOrder& order, const OpenBins& look,
               F&& f) {
  for (std::size_t i = 0; i < OpenBins::kBins; ++i) {
    if (!look.open[i]) continue;
    const std::size_t first = i;
    while (look.open[i + 1]) ++i;
    f(first, words_of_bins(bins, order, look, first, i + 1));
  }
}

}  // namespace dpdtree
