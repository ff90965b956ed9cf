// The largest weight that one split of a feature classifies right, where the boundaries
// tell the majority of the left side only: that of the right side comes from a second
// scan, backwards.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "split/accumulator_traits.hpp"
#include "split/feasible.hpp"
#include "split/gini_counts.hpp"
#include "split/scan.hpp"

namespace dpdtree {

inline u32 label_of(const KeySource& source, std::size_t i, const Targets&) {
  return source.keys[i] & ((1u << source.class_bits) - 1);
}
template <class Code>
u32 label_of(const RowSource<Code>& source, std::size_t i, const Targets& targets) {
  return targets.label[source.rows[i]];
}

// Of boundaries lo … hi-1 among the first `end`; items 0 … n_items-1 of the source are
// not on the left from the start.
template <class Source>
double most_correct_backwards(const LeftSums& b, const Source& source,
                              std::size_t n_items, std::size_t lo, std::size_t hi,
                              std::size_t end, const Targets& targets) {
  std::vector<double> right(targets.n_classes, 0.0);
  double largest = 0, most = 0;
  std::size_t at = end;  // the boundary whose right side is being built
  for (std::size_t i = n_items; i-- > 0 && at > lo;) {
    while (at > lo && source.code(i) == b.code[at - 1]) {
      --at;
      if (at < hi) most = std::max(most, b.majority[at] + largest);
    }
    source.add_to(right.data(), i, targets);
    if constexpr (std::is_same_v<Source, CellSource>)
      largest = *std::max_element(right.begin(), right.end());
    else
      largest = std::max(largest, right[label_of(source, i, targets)]);
  }
  return most;
}

// The same where rows are counted, of boundaries among the first `end` items, with
// `start` (or nothing) on the left from the start.
template <class Source>
double most_correct_of_counts(LeftSums& b, const Source& source, std::size_t end,
                              std::size_t lo, std::size_t hi, const double* start,
                              const Targets& targets, std::span<const double> stats) {
  CountsOfErrors errors(targets, stats);
  double n = 0;
  for (std::size_t k = 0; start != nullptr && k < stats.size(); ++k) n += start[k];
  errors.start(start, static_cast<u32>(n));
  if constexpr (std::is_same_v<Source, KeySource>)
    errors.count_correct(source, end, b);
  else
    write_boundaries(errors, source, end, b);
  return CountsOfErrors::most_correct(b, lo, hi);
}

// By whichever way is the fastest.
struct ErrorBound {
  const Targets& targets;
  std::span<const double> stats;
  std::size_t end;  // of the items with a value
  std::size_t n_boundaries;
  const double* missing_left;  // statistics of what is missing, if that goes left

  template <class A, class Source>
  double most_correct(const A& acc, const Source& source, BoundaryRange range,
                      LeftSums& b) const {
    if constexpr (std::is_same_v<A, GiniCounts>)
      if (std::is_same_v<Source, CellSource> && acc.counts_errors)
        return CountsOfErrors::most_correct(b, range.lo, range.hi);
    if constexpr (A::kMajorityFromPrefix)
      return acc.most_correct(b, range.lo, range.hi);
    else if constexpr (writes_weights<A>())
      return most_correct_backwards(b, source,
                                    missing_left != nullptr ? end : source.size(),
                                    range.lo, range.hi, n_boundaries, targets);
    else
      return most_correct_of_counts(b, source, end, range.lo, range.hi, missing_left,
                                    targets, stats);
  }
};

}  // namespace dpdtree
