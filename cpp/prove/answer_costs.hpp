// Cost matrices as a proof counts them: what an answer costs beyond the cheapest one
// for the row. That is what trees differ in, and the least of it bounds them best.
#pragma once

#include "loss/criterion.hpp"
#include "loss/targets.hpp"
#include "prove/ranked_rows.hpp"

namespace dpdtree {

struct AnswerCosts {
  Criterion loss;      // of the data below
  double largest = 1;  // what a row costs at most, per unit of its weight
};

// Writes the excess costs to `data`. Where `by_row`, weights become what a row can cost
// at most, so that rows that can cost little are not far apart; if then every mistake
// costs a row the same, that is the 0-1 loss. Otherwise weights stay what they are.
AnswerCosts count_excess_costs(const Targets& targets, bool by_row, ExactData& data);

// The loss of these statistics.
double loss_of(Criterion loss, const ExactData& data, std::span<const double> stats);

}  // namespace dpdtree
