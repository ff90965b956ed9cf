#include "search/forced_split.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tolerance.hpp"
#include "search/split_checks.hpp"

namespace dpdtree {
namespace {

[[noreturn]] void refuse(const ForcedSplit& forced, const std::string& why) {
  throw InputError(forced.name + " " + why);
}

template <class T>
std::string text(const T& number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

Split number_split(const Column& column, const ForcedSplit& forced) {
  Split split;
  split.feature = forced.feature;
  split.threshold = forced.threshold;
  split.cut = column.cut_of(forced.threshold);
  split.given = true;
  // Rows of one bin stay together, so that a threshold within it would divide other
  // rows in prediction than it has in training.
  if (column.binned && split.cut > 0 &&
      column.upper_value(split.cut - 1) > forced.threshold)
    refuse(forced, "cuts through a bin of max_bins, which reaches from " +
                       text(column.value(split.cut - 1)) + " to " +
                       text(column.upper_value(split.cut - 1)) +
                       ": give a threshold outside of it, or max_bins=None");
  return split;
}

Split category_split(const Column& column, const ForcedSplit& forced) {
  Split split;
  split.feature = forced.feature;
  auto set = std::make_shared<CategorySet>(column.n_codes());
  for (u32 c = 0; c < column.n_values; ++c)
    if (std::ranges::count(forced.categories, column.category[c]) > 0) set->insert(c);
  split.categories = std::move(set);
  return split;
}

void check_feature(const Search& s, const ForcedSplit& forced) {
  const NodeView& node = s.root;
  const bool listed = std::ranges::count(*s.features, forced.feature) > 0;
  if (!listed || (node.constraints && !node.constraints->permits(forced.feature)))
    refuse(forced,
           "asks a feature that interaction_cst or allowed_features forbids there");
}

void check_side(const Search& s, const ForcedSplit& forced, const NodeView& child,
                const char* side) {
  const SplitLimits& limits = s.limits;
  if (child.n() == 0)
    refuse(forced, std::string("leaves no training row on its ") + side + " side");
  if (child.n() < limits.min_samples_leaf)
    refuse(forced, "leaves " + text(child.n()) + " training rows on its " + side +
                       " side, and min_samples_leaf asks for " +
                       text(limits.min_samples_leaf));
  if (child.weight < limits.min_weight_leaf)
    refuse(forced, std::string("leaves too little weight on its ") + side +
                       " side for min_weight_fraction_leaf");
}

void check_limits(const Search& s, const ForcedSplit& forced,
                  const Children& children) {
  const SplitLimits& limits = s.limits;
  if (s.root.n() < limits.min_samples_split)
    refuse(forced, "divides " + text(s.root.n()) +
                       " training rows, and min_samples_split (or min_samples_leaf)"
                       " asks for " +
                       text(limits.min_samples_split));
  check_side(s, forced, children.left, "left");
  check_side(s, forced, children.right, "right");
  const Cost& cost = s.objective;
  const double decrease = cost.impurity(s.root) - cost.impurity(children.left) -
                          cost.impurity(children.right);
  if (limits.min_decrease > 0 && !reaches(decrease, limits.min_decrease))
    refuse(forced, "lowers the impurity by less than min_impurity_decrease");
}

std::vector<Split> ways_of(const Search& s, const ForcedSplit& forced) {
  const Column& column = s.problem.columns[forced.feature];
  Split split = forced.by_category ? category_split(column, forced)
                                   : number_split(column, forced);
  std::vector<Split> ways;
  if (forced.missing_left >= 0) {
    split.missing = forced.missing_left > 0 ? Missing::left : Missing::right;
    ways = {split};
  } else if (s.source().sees_missing(s.root, forced.feature)) {
    ways = {split, split};
    ways[0].missing = Missing::left;
    ways[1].missing = Missing::right;
  } else {
    ways = {split};
  }
  if (s.strategy == Strategy::greedy) return ways;
  return with_middles(s.rules, s.max_depth(), ways);
}

// One of the sides for missing values may leave too few rows on the other.
bool may_be_left_out(const Search& s, const ForcedSplit& forced,
                     const Children& children) {
  return forced.missing_left < 0 && !within_limits(s.limits, s.root, children);
}

}  // namespace

void each_way(const Search& s, i32 index, const Way& f) {
  const ForcedSplit& forced = forced_split(s, index);
  check_feature(s, forced);
  bool made = false;
  const std::vector<Split> ways = ways_of(s, forced);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    Split split = ways[i];
    ChildBuffers buffers;
    const Children children =
        s.source().divide(s.context(), s.root, split, buffers.make_room(s.root));
    const bool last = i + 1 == ways.size() && !made;
    if (!last && may_be_left_out(s, forced, children)) continue;
    check_limits(s, forced, children);
    if (repeats_middle(s.root, children, split)) continue;
    f(split, children);
    made = true;
  }
}

namespace {

Plan settled(const Search& s, i32 index) {
  if (index < 0) return nullptr;
  Split best;
  double least = std::numeric_limits<double>::infinity();
  each_way(s, index, [&](const Split& split, const Children& children) {
    const double impurity =
        s.objective.impurity(children.left) + s.objective.impurity(children.right);
    if (impurity >= least) return;
    least = impurity;
    best = split;
  });
  ChildBuffers buffers;
  const Children children =
      s.source().divide(s.context(), s.root, best, buffers.make_room(s.root));
  const ForcedSplit& forced = forced_split(s, index);
  const Plan left = settled(s.below(children.left, s.depth + 1), forced.left);
  const Plan right = settled(s.below(children.right, s.depth + 1), forced.right);
  return join(best, left, right);
}

}  // namespace

Plan settled_plan(const Search& s) {
  Search strict = s;
  strict.root.constraints = made_strict(s.root.constraints);
  return settled(strict, 0);
}

}  // namespace dpdtree
