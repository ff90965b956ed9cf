#include "boost/remote_grower.hpp"

#include <algorithm>
#include <numeric>

#include "boost/dynamic_program.hpp"

namespace dpdtree::boosting {

void RemoteEvaluator::fetch(std::span<const FamilySearch> families) {
  check_stop();
  std::vector<RemoteRows::NodeWanted> wanted;
  for (const FamilySearch& family : families)
    for (std::size_t i = 0; i < family.n; ++i) {
      const NodeSearch& node = family.nodes[i];
      if (node.from != nullptr) continue;
      if (node.node->path == nullptr && !root().empty())
        std::copy(root().begin(), root().end(), node.histogram);
      else
        wanted.push_back({path_of(*node.node), sampled_, node.histogram});
    }
  rows_->histograms(output_, n_windows_, wanted, store().size());
}

GradientSum RemoteEvaluator::sum(const RowSet&) {
  if (root().empty()) {
    std::vector<RemoteRows::NodeWanted> wanted;
    for (const bool sampled : {false, true}) {
      if (sampled && n_windows_ == 0) continue;
      std::vector<Bin>& histogram = roots_[sampled ? 1 : 0];
      histogram.resize(store().size());
      wanted.push_back({{}, sampled, histogram.data()});
    }
    rows_->histograms(output_, n_windows_, wanted, store().size());
  }
  const HistogramColumn column(root().data(), data().block_of(0), 0, finder().units());
  GradientSum total;
  for (u32 code = 0; code < data().columns()[0].n_codes; ++code) total += column[code];
  return total;
}

RemoteGrower::RemoteGrower(const BinnedData& layout, const Params& params,
                           std::size_t n_rows)
    : layout_(&layout),
      params_(&params),
      lookahead_(for_so_many_rows(params.lookahead, share_of(n_rows, params))),
      wide_(wants_wide_cells(share_of(n_rows, params), params)),
      store_(layout.histogram_size() * (wide_ ? 2 : 1)) {
  if (lookahead_ != Lookahead::light) return;
  n_windows_ = n_sample_windows(share_of(n_rows, params));
  sample_params_ = scaled_to_sample(params, 1.0 / n_windows_);
}

GrownTree RemoteGrower::grow(const RemoteRows& rows, u32 output, const Units& units,
                             u64 key, ThreadPool& pool, StopToken& stop) {
  evaluator_.emplace(*layout_, store_, pool, stop, rows, output, n_windows_);
  std::optional<BinnedSplit> root;
  if (lookahead_ == Lookahead::light) {
    Units of_sample = units;
    of_sample.noise *= 1.0 / n_windows_;
    evaluator_->begin(sample_params_, of_sample, true);
    root = root_by_sample(*evaluator_, {}, {}, key);
  }
  evaluator_->begin(*params_, units, false);
  return lookahead_ == Lookahead::full ? grow_full(key) : grow_leafwise(key, root);
}

Child RemoteGrower::whole(NodeContext context) {
  const i64 n_rows = context.total.count;
  Child root{std::move(context), {}, store_.take(), {}};
  root.rows.size = static_cast<std::size_t>(n_rows);
  evaluator_->search_one(
      {&root.context, root.histogram, root.rows, nullptr, &root.best});
  return root;
}

GrownTree RemoteGrower::grow_leafwise(u64 key,
                                      const std::optional<BinnedSplit>& root_rule) {
  const SplitFinder& finder = evaluator_->finder();
  LeafwiseGrower grower(*evaluator_, {},
                        {params_->max_leaf_nodes, false, share_compared(lookahead_)});
  NodeContext context = finder.root(evaluator_->sum({}), key);
  if (!finder.may_be_split(context) || params_->max_leaf_nodes == 1)
    return grower.grow({context, {}, nullptr, {}});
  if (root_rule) {
    Child root{context, {}, store_.take(), {}};
    FamilySearch family;
    family.add({&root.context, root.histogram, {}, nullptr, nullptr});
    evaluator_->fetch({&family, 1});
    const GradientSum left = finder.left_sum(*root_rule, root.histogram);
    const FoundSplit split = finder.judge(*root_rule, left, context);
    if (split.valid)
      return grower.grow_from(
          context, expand(*evaluator_, {&context, {}, root.histogram, split, {}, {}}));
    store_.give_back(root.histogram);
  }
  return grower.grow(whole(std::move(context)));
}

GrownTree RemoteGrower::grow_full(u64 key) {
  FullSearch search(*evaluator_, {}, {});
  NodeContext context = evaluator_->finder().root(evaluator_->sum({}), key);
  if (!evaluator_->finder().may_be_split(context))
    return search.grow({context, {}, nullptr, {}});
  return search.grow(whole(std::move(context)));
}

}  // namespace dpdtree::boosting
