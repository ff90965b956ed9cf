// Root splits by looking two levels ahead: for each pair of features one pair
// histogram on local bins gives, for every root threshold of both features at once, the
// best stump of the other feature on both sides.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "loss/criterion.hpp"
#include "loss/targets.hpp"
#include "search/lookahead/local_bins.hpp"

namespace dpdtree {

// What a set of rows gains by being its own leaf; the loss of a tree is a constant less
// the gains of its leaves. zero_one: the majority's weight.
struct PairHistogramProblem {
  const Targets& targets;  // of the binned rows alone, in the order of the bins; in
                           // classification all rows of a class together
  const std::vector<LocalBins>& bins;
  Criterion loss = Criterion::zero_one;
  u32 min_samples_leaf = 1;

  std::size_t n_rows() const { return bins.empty() ? 0 : bins[0].bin.size(); }
};

// For every edge between two bins (rows of bins up to it go left), those of the first
// feature first: the largest gain of the left and of the right side with at most one
// further split each (-infinity: none allowed), and the gain of each side as a leaf.
struct EdgeGains {
  explicit EdgeGains(const std::vector<LocalBins>& bins);

  std::vector<std::size_t> first;  // edge of each feature, and the end
  std::vector<float> left, right, left_leaf, right_leaf, left_weight;
};

EdgeGains pair_gains_of(const PairHistogramProblem& problem);

// The same for the two sides of many divisions of the same rows.
class DividedGains {
 public:
  virtual ~DividedGains() = default;

  // `indices`: the rows of the left and of the right side, ascending.
  using Indices = std::array<std::vector<u32>, 2>;
  virtual std::array<EdgeGains, 2> gains(const Indices& indices) = 0;
};

std::unique_ptr<DividedGains> make_divided_gains(const PairHistogramProblem& problem);

}  // namespace dpdtree
