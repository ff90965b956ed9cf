// The loss of quantiles: a row above the prediction costs level · distance, one below
// it (1 − level) · distance. It is no function of sums: a leaf has to look at its rows.
//
// A quantile is the middle of the numbers that cost least: one of the targets, or half
// way between two where the rows divide in exactly that proportion (so that the median
// of an even number of rows is what everybody expects).
#pragma once

#include <span>

#include "loss/targets.hpp"

namespace dpdtree {

struct Pinball {
  double level = 0.5;
  double factor = 1;  // 2 with level ½: absolute errors

  // Summed over the outputs.
  double impurity_sum(const Targets& targets, std::span<const Row> rows) const;

  // The quantile of one output, in the units of targets.y.
  double quantile(const Targets& targets, std::span<const Row> rows, u32 output) const;

  double of(double y, double prediction) const {
    return factor *
           (y > prediction ? level * (y - prediction) : (1 - level) * (prediction - y));
  }
};

}  // namespace dpdtree
