// Root splits by looking two levels ahead: for each pair of features one joint
// histogram on local bins gives, for every root threshold of both features at once, the
// best stump of the other feature on both sides.
#pragma once

#include <span>
#include <vector>

#include "generator/local_bins.hpp"
#include "objective/measure.hpp"
#include "objective/targets.hpp"

namespace dpdtree {

// What a set of rows gains by being its own leaf; the loss of a tree is a constant less
// the gains of its leaves. zero_one: the majority's weight.
struct JointProblem {
  const Targets& targets;
  std::span<const Row> rows;  // those that are binned, in the order of the bins; in
                              // classification all rows of a class together
  const std::vector<LocalBins>& bins;
  Measure loss = Measure::zero_one;
  u32 min_samples_leaf = 1;
};

// For bin edge a of feature f (rows of bins 0 … a go left): the largest gain of the
// left and of the right side with at most one further split each (-infinity: none
// allowed), and the gain of each side as a leaf.
struct SideGains {
  std::vector<float> left, right, left_leaf, right_leaf, left_weight;
};

std::vector<SideGains> joint_gains(const JointProblem& problem);

}  // namespace dpdtree
