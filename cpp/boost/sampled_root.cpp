#include "boost/sampled_root.hpp"

#include <algorithm>

namespace dpdtree::boosting {
namespace {

constexpr u32 kCandidates = 4;

// The splits found below the root carried out at the root instead, all at once.
std::vector<Expansion> others_at_root(NodeEvaluator& evaluator, const Child& root,
                                      const GrownTree& tree,
                                      std::span<const RowSet> room) {
  const SplitFinder& finder = evaluator.finder();
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
                      evaluator.elsewhere() ? root.rows : room[jobs.size()],
                      {true, true}});
  }
  return expand(evaluator, jobs);
}

}  // namespace

// A sample is a fifth of the rows, but no more than 10 000 or (if that is more) a
// twentieth.
u32 n_sample_windows(std::size_t n) {
  return static_cast<u32>(std::clamp<std::size_t>(n / 10'000, 5, 20));
}

SampleWindows::SampleWindows(std::size_t n_used, std::size_t n_rows, u64 seed)
    : n_windows_(n_sample_windows(n_used)) {
  const WindowOfRow window_of(n_windows_, seed);
  std::vector<u8> window(n_rows);
  for (std::size_t r = 0; r < n_rows; ++r) window[r] = static_cast<u8>(window_of(r));
  window_ = std::make_shared<const std::vector<u8>>(std::move(window));
}

void SampleWindows::pick(std::span<const Row> rows, u64 tree,
                         std::vector<u32>& indices) const {
  const u8* window = window_->data();
  const auto wanted = static_cast<u8>(tree % n_windows_);
  indices.resize(rows.size());
  u32* out = indices.data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    *out = static_cast<u32>(i);
    out += window[rows[i]] == wanted;  // no branch to mispredict
  }
  indices.resize(static_cast<std::size_t>(out - indices.data()));
}

std::optional<BinnedSplit> root_by_sample(NodeEvaluator& evaluator,
                                          const RowSet& sample,
                                          std::span<const RowSet> room, u64 key) {
  const SplitFinder& finder = evaluator.finder();
  Child root{
      finder.root(evaluator.sum(sample), key), sample, evaluator.store().take(), {}};
  evaluator.search_one({&root.context, root.histogram, sample, nullptr, &root.best});
  std::optional<BinnedSplit> best_rule;
  if (root.best.valid) {
    const GrownTree tree =
        LeafwiseGrower(evaluator, room, {kCandidates + 1, true, 2}).grow(root);
    // The greedy split's children have been looked at while that tree was grown.
    const auto gain_of = [&](u32 node) {
      return tree[node].split.valid ? tree[node].split.gain : 0.0;
    };
    const auto others = evaluator.elsewhere() ? room : room.subspan(1);
    best_rule = tree[0].split.rule;
    double best = tree[0].split.gain + gain_of(tree[0].left) + gain_of(tree[0].right);
    for (Expansion& e : others_at_root(evaluator, root, tree, others)) {
      if (clearly_more(e.two_level_gain(), best)) {
        best = e.two_level_gain();
        best_rule = e.split.rule;
      }
      discard(evaluator, e);
    }
  }
  evaluator.store().give_back(root.histogram);
  return best_rule;
}

}  // namespace dpdtree::boosting
