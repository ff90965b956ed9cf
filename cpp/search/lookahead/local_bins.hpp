// Quantile bins of a node's own rows: finer where the node lives than global bins.
#pragma once

#include <span>
#include <vector>

#include "data/column.hpp"
#include "loss/targets.hpp"

namespace dpdtree {

inline constexpr u32 kMaxLocalBins = 64;

struct LocalBins {
  std::vector<u8> bin;           // of the i-th row
  std::vector<u32> first, last;  // codes present in each bin, ascending
  // Of a categorical feature, whose bins hold categories of similar response: `first`
  // and `last` are indices in this list of codes.
  std::vector<u32> code_at;

  bool missing_first = false;

  u32 size() const { return static_cast<u32>(first.size()); }
};

// At most max_bins bins of about equal numbers of rows; missing values are one more bin
// at the end, so that a split between bins sends them right. `scratch` is reused.
LocalBins make_local_bins(const Column& column, std::span<const Row> rows, u32 max_bins,
                          std::vector<u32>& scratch);

// The same for categories, ordered by their mean response among these rows, whose i-th
// has the i-th of the targets; rare categories share a bin with their neighbours.
LocalBins make_category_bins(const Column& column, const Targets& targets,
                             std::span<const Row> rows, u32 max_bins);

// The same bins with the last one, of the missing values, moved to the front: a split
// between bins then sends them left.
LocalBins with_missing_first(const LocalBins& bins);

}  // namespace dpdtree
