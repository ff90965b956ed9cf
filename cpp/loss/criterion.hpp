// A criterion is the cost of making one leaf of a set of rows, times its weight: as a
// loss it is what the dynamic program minimises, as a criterion what proposes splits.
//
// Adding one: a file that defines `LossInfo <name>_info()` (see registry.hpp) and a
// line in the list below. CONTRIBUTING.md goes through an example.
#pragma once

#include <span>
#include <string_view>

#include "base/types.hpp"
#include "loss/pinball.hpp"
#include "loss/targets.hpp"

// In the order in which they are shown.
#define DPDTREE_LOSSES(LOSS) \
  LOSS(zero_one)             \
  LOSS(gini)                 \
  LOSS(entropy)              \
  LOSS(log_loss)             \
  LOSS(cost_matrix)          \
  LOSS(squared_error)        \
  LOSS(absolute_error)       \
  LOSS(poisson)              \
  LOSS(quantile)             \
  LOSS(gamma)

namespace dpdtree {

enum class Criterion : u8 {
#define DPDTREE_ENUMERATOR(name) name,
  DPDTREE_LOSSES(DPDTREE_ENUMERATOR)
#undef DPDTREE_ENUMERATOR
      fixed_sides  // internal: see split/loss_accumulators.hpp
};

// Throws InputError if trees know none of that name.
Criterion criterion_of(std::string_view name);

// True if the cost of a leaf is no function of its statistics.
bool needs_rows(Criterion criterion);

// Of the criteria that need rows.
Pinball pinball_of(Criterion criterion, const Targets& targets);

// True if the statistics of simple targets (one output, no logarithms) tell it.
bool is_simple(Criterion criterion);

// Of a simple criterion and the statistics of simple targets.
double impurity_sum(Criterion criterion, std::span<const double> stats);

// Any criterion of any targets; what it sums over several outputs.
double impurity_sum(Criterion criterion, const Targets& targets,
                    std::span<const Row> rows, std::span<const double> stats);

// A lower bound of the impurity of any tree with at most n_leaves leaves, two or more.
double least_impurity(Criterion criterion, const Targets& targets,
                      std::span<const double> stats, u64 n_leaves);

// True if a split that is best for the criterion is best for the loss as well.
inline bool same_minimiser(Criterion criterion, Criterion loss) {
  return criterion == loss ||
         (criterion == Criterion::entropy && loss == Criterion::log_loss);
}

// The unit of a criterion where targets were divided by y_scale.
double unit_of(Criterion criterion, const Targets& targets);

}  // namespace dpdtree
