// A set of rows while its questions are tried. A part of PairSearch.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "prove/pair_search.hpp"

namespace dpdtree {

struct PairSearch::Job {
  static constexpr u64 kLeavesOfTwoLevels =
      3;  // at most, however many levels there are
  static constexpr u64 kNoRow = 1ULL << 40;

  const CountedRows& rows;
  u32 levels;
  u64 leaves;                   // at most
  double target;                // only better trees are wanted
  Found best;                   // the leaf at first
  const Job* around = nullptr;  // of which these rows are one side
  double penalty = 0;
  double floor = 0, floor_of_any_depth = 0;  // of all trees but the leaf
  std::vector<std::size_t> order = {};       // of the questions
  // Per question, of all trees that begin with it; those of two levels are known, and
  // do not count.
  std::vector<double> bound = {}, any_depth = {};
  // Per question, what any tree for the rows that say yes, and no, is worth at least.
  std::vector<double> least_yes = {}, least_no = {}, any_yes = {}, any_no = {};
  std::vector<double> twins_yes = {}, twins_no = {};  // what twins among them lose
  double fewer_levels = 0;  // no tree of a level less is better
  double twins = 0;         // what any tree loses at least
  bool all_levels = true;   // fewer, if more cannot pay

  // For the levels that were asked for.
  Found told() const {
    Found out = best;
    if (!all_levels) out.lower = out.any_depth;
    return out;
  }

  double to_beat() const { return std::min(target, best.value); }
  bool limits_leaves() const { return leaves < Cost::max_leaves(levels); }
  // Where two levels are all that a tree can have.
  bool is_bottom() const { return levels == 2 || leaves <= kLeavesOfTwoLevels; }
  // Bounds are passed down from sets whose leaves are limited, and may be kept under
  // the key of the rows alone: one search has one limit, so they hold wherever it meets
  // them.
  Hash128 key() const {
    Hash128 out = rows.key;
    if (limits_leaves()) out += {mix64(~leaves), mix64(~leaves - kNoRow)};
    return out;
  }
  double lower() const { return order.empty() ? best.lower : least(bound); }
  double lower_of_any_depth() const {
    return order.empty() ? best.any_depth : least(any_depth);
  }

 private:
  double least(const std::vector<double>& bounds) const {
    double out = best.value;
    for (const std::size_t q : order) out = std::min(out, bounds[q]);
    return out;
  }
};

}  // namespace dpdtree
