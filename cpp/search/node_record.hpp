// What a tree keeps of a node.
#pragma once

#include <span>
#include <vector>

#include "node/partition.hpp"
#include "plan/objective.hpp"

namespace dpdtree {

// What a node predicts in the units of the core: class shares, output after output, or
// a prediction per output; within the bounds of monotone features.
std::vector<double> node_prediction(const Targets& targets, Criterion loss,
                                    const NodeView& node);

// Class shares (outputs with fewer classes than others are filled up with zeros), or
// predictions in the caller's unit; as the bounds of monotone features have them.
std::vector<double> node_value(const Problem& problem, const Cost& cost,
                               const NodeView& node);

// By the criterion, in the caller's unit, mean of a row.
double node_impurity(const Cost& cost, const NodeView& node);

// The roundest threshold that divides the rows of the node as the split does; that of
// the split, if it was given.
double readable_threshold(const Problem& problem, const Split& split,
                          std::span<const Row> node);

// The same from the codes next to the cut that occur: one above the last left, and the
// first right.
double threshold_next_to_cut(const Column& column, const Split& split, u32 last,
                             u32 next);

// The caller's numbers of the categories that go left, ascending; those that no row of
// the node has go where they fit.
std::vector<i64> left_categories(const Problem& problem, Split split,
                                 std::span<const Row> node,
                                 std::span<const Row> all_rows);

// Those that the split has on the left.
std::vector<i64> categories_of(const Column& column, const Split& split);

}  // namespace dpdtree
