// From a boundary of a feature to the split that it stands for.
#pragma once

#include "data/column.hpp"
#include "split/block_scan.hpp"
#include "split/feature_search.hpp"
#include "split/finder.hpp"
#include "split/thresholds.hpp"

namespace dpdtree {

inline FeatureBest best_of(u32 feature, const Column& column, const BlockBest& found) {
  FeatureBest best;
  best.split.feature = feature;
  best.score = found.score;
  best.tie = found.tie;
  best.found = found.found;
  best.most_correct = found.most_correct;
  best.constant = found.n_boundaries == 0;
  best.log_choices = log_thresholds(static_cast<u32>(found.n_boundaries) + 1);
  if (!best.found) return best;
  best.split.missing = Missing::heavier;
  best.split.threshold = column.threshold_between(found.left, found.right);
  best.split.cut = column.cut_of(best.split.threshold, found.left + 1, found.right);
  return best;
}

// At boundary j of the last scan.
inline Split split_at(u32 feature, const Column& column, const SplitScratch& s,
                      std::size_t j, Missing missing) {
  Split split;
  split.feature = feature;
  split.missing = missing;
  if (column.categorical) {
    split.categories = s.categories.left_of(j, column.n_codes());
    return split;
  }
  const LeftSums& b = s.boundaries;
  const u32 next = j + 1 < b.size ? b.code[j + 1] : column.n_values;
  split.threshold = column.threshold_between(b.code[j], next);
  split.cut = column.cut_of(split.threshold, b.code[j] + 1, next);
  return split;
}

}  // namespace dpdtree
