// The best of all trees, by looking at every one of them: every split of every set of
// rows, down to the depth. Written for itself: nothing of the core's searches or losses
// is used.
#pragma once

#include <vector>

#include "problem.hpp"

namespace dpdtree::fuzz {

using Rows = std::vector<std::size_t>;

// The rows that count: those of weight 0 are no part of a problem.
Rows counted_rows(const Problem& problem);

double weight_of(const Problem& problem, const Rows& rows);

// The weight of each class among the rows.
std::vector<double> class_weights(const Problem& problem, const Rows& rows);

// The least that one leaf made of the rows can cost, times their weight.
double leaf_cost(const Problem& problem, const Rows& rows);

// May the rows be split, and are these parts of them allowed?
bool may_split(const Problem& problem, const Rows& rows);
bool is_allowed(const Problem& problem, const Rows& part);

// What a split of the rows by the feature costs, times the whole weight. `nat` is what
// one unit of a description costs, with params.mdl.
double split_price(const Problem& problem, const Rows& rows, std::size_t feature,
                   double nat);

// The least objective of any tree within the limits.
double best_objective(const Problem& problem, double nat);

}  // namespace dpdtree::fuzz
