#include "boost/sampled_root.hpp"

#include <algorithm>
#include <numeric>

#include "base/rng.hpp"

namespace dpdtree::boosting {
namespace {

constexpr u32 kCandidates = 4;

// A fifth of the rows, but no more than 10 000 or (if that is more) a twentieth.
std::size_t sample_size(std::size_t n) {
  return std::min(n / 5, std::max<std::size_t>(10'000, n / 20));
}

// The splits found below the root carried out at the root instead, all at once.
std::vector<Expansion> others_at_root(NodeEvaluator& bench, const Child& root,
                                      const GrownTree& tree,
                                      std::span<const RowSet> room) {
  const SplitFinder& finder = bench.finder();
  std::vector<ExpandJob> jobs;
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const BinnedSplit& rule = tree[i].split.rule;
    if (tree[i].is_leaf() || rule == tree[0].split.rule) continue;
    const FoundSplit split =
        finder.judge(rule, finder.left_sum(rule, root.histogram), root.context);
    if (split.valid)
      jobs.push_back({&root.context,
                      root.rows,
                      root.histogram,
                      split,
                      room[jobs.size()],
                      {true, true}});
  }
  return expand(bench, jobs);
}

}  // namespace

SampleWindows::SampleWindows(std::size_t n, u64 seed)
    : size_(sample_size(n)), n_windows_(n / std::max<std::size_t>(1, size_)) {
  positions_.resize(n);
  std::iota(positions_.begin(), positions_.end(), 0u);
  CounterRng rng(seed, {n, 0x77696e646f7773ULL});
  for (std::size_t i = n; i > 1; --i)
    std::swap(positions_[i - 1], positions_[rng.below(static_cast<u32>(i))]);
  for (std::size_t w = 0; w < n_windows_; ++w) {
    const auto first = positions_.begin() + static_cast<std::ptrdiff_t>(w * size_);
    std::sort(first, first + static_cast<std::ptrdiff_t>(size_));
  }
}

std::span<const u32> SampleWindows::window(u64 number) const {
  if (n_windows_ == 0) return {};
  return {positions_.data() + number % n_windows_ * size_, size_};
}

std::optional<BinnedSplit> root_by_sample(NodeEvaluator& bench, const RowSet& sample,
                                          std::span<const RowSet> room, u64 key) {
  const SplitFinder& finder = bench.finder();
  Child root{finder.root(bench.sum(sample), key), sample, bench.store().take(), {}};
  bench.search_one({&root.context, root.histogram, sample, nullptr, &root.best});
  std::optional<BinnedSplit> best_rule;
  if (root.best.valid) {
    const GrownTree tree =
        LeafwiseGrower(bench, room, {kCandidates + 1, true, 2}).grow(root);
    // The greedy split's children have been looked at while that tree was grown.
    const auto gain_of = [&](u32 node) {
      return tree[node].split.valid ? tree[node].split.gain : 0.0;
    };
    best_rule = tree[0].split.rule;
    double best = tree[0].split.gain + gain_of(tree[0].left) + gain_of(tree[0].right);
    for (Expansion& e : others_at_root(bench, root, tree, room.subspan(1))) {
      if (clearly_more(e.two_level_gain(), best)) {
        best = e.two_level_gain();
        best_rule = e.split.rule;
      }
      discard(bench, e);
    }
  }
  bench.store().give_back(root.histogram);
  return best_rule;
}

}  // namespace dpdtree::boosting
