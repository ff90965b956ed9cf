// A split, the limits it must respect, and the node it belongs to.
#pragma once

#include <limits>
#include <memory>
#include <span>

#include "base/types.hpp"
#include "data/rows.hpp"

namespace dpdtree {

// Where missing values go. `heavier`: no missing value was seen where the split was
// found, so they follow the heavier child of whatever node the split is used at.
enum class Missing : u8 { right, left, heavier };

// Rows with code < cut (value <= threshold) go left; or, on a categorical feature, rows
// of the `categories`, and cut and threshold stay 0.
struct Split {
  u32 feature = 0;
  u32 cut = 0;
  double threshold = 0;
  Missing missing = Missing::heavier;
  bool given = false;    // by the caller, to the last digit
  u8 middle_choice = 0;  // which middle to settle on, see constraints.hpp
  SharedCategories categories;
  // Of a monotone feature: leaves on one side predict at most this, those on the other
  // at least. NaN until the split is made.
  double middle = std::numeric_limits<double>::quiet_NaN();

  bool same_rows(const Split& o) const {
    return feature == o.feature && cut == o.cut && missing == o.missing &&
           (categories == o.categories ||
            (categories && o.categories && *categories == *o.categories));
  }

  // `missing` must be settled, or the column without missing values.
  LeftCodes left_codes(const Column& column) const {
    return {cut, categories.get(),
            missing == Missing::left ? column.missing_code() : ~0u};
  }
};

struct SplitLimits {
  u32 min_samples_split = 2;
  u32 min_samples_leaf = 1;
  double min_weight_leaf = 0;
  double min_decrease =
      0;  // of the criterion's impurity sum, over the whole training set
};

struct NodeConstraints;

// What a node is called: the splits above it (settled), and on which side of each it
// is. The root has none; the root of a part of the rows (a fold's) has its number,
// above 0, and no split.
struct NodePath {
  const NodePath* parent = nullptr;
  Split split;
  bool right = false;
  u32 part = 0;
};

// A set of rows (ascending) with everything that is known of it.
struct NodeView {
  std::span<const Row> rows;
  std::span<const double> stats;
  double weight = 0;
  Hash128 hash;
  std::shared_ptr<const NodeConstraints> constraints{};  // null: none
  const NodePath* path = nullptr;
  u32 elsewhere = 0;               // rows that are not in this process's memory
  std::span<const Row> sibling{};  // in any order; empty: unknown

  u32 n() const { return static_cast<u32>(rows.size()) + elsewhere; }
  // Of everything that the best split depends on.
  Hash128 key() const;
};

// The best split of a node. `error_bound`: no single split of the node, on any feature,
// leaves less 0-1 loss (only if asked for; 0 otherwise).
struct FoundSplit {
  bool found = false;
  Split split;
  double decrease = 0;
  double error_bound = 0;
};

}  // namespace dpdtree
