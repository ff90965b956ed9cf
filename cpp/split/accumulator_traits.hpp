// What the search of a feature asks of a kind of accumulator (see accumulators.hpp).
#pragma once

#include "split/left_sums.hpp"

namespace dpdtree {

// True for scores that often tie: then no feature may be skipped for a mere tie.
template <class A>
constexpr bool breaks_ties() {
  if constexpr (requires { A::kTies; }) return A::kTies;
  return false;
}

// True if the criterion looks at the targets of all rows, not only at their sums.
template <class A>
constexpr bool looks_at_rows() {
  if constexpr (requires { A::kNeedsRows; }) return A::kNeedsRows;
  return false;
}

// True if rows have weights, so that labels alone do not tell what they add.
template <class A>
constexpr bool has_weights() {
  if constexpr (requires { A::kWeighted; }) return A::kWeighted;
  return false;
}

template <class A>
constexpr bool writes_weights() {
  if constexpr (requires { A::kInteger; })
    return !A::kInteger;
  else
    return true;
}

// True if a split's score depends on the rows of two classes, or their weight, and is
// convex in them: so it is largest at a corner of what is possible.
template <class A>
constexpr bool has_corners() {
  if constexpr (requires { A::kHasCorners; }) return A::kHasCorners;
  return false;
}

template <class A>
constexpr LeftSums::Parts parts_written() {
  if (writes_weights<A>()) return LeftSums::Parts::weights_and_sums;
  return has_corners<A>() ? LeftSums::Parts::counts : LeftSums::Parts::counts_and_sums;
}

// True if boundaries can be compared block by block: nothing is to be asked of them in
// the end.
template <class A>
constexpr bool scans_in_blocks() {
  if constexpr (requires { A::kMajorityFromPrefix; })
    return A::kMajorityFromPrefix && !breaks_ties<A>() && !looks_at_rows<A>();
  return false;
}

}  // namespace dpdtree
