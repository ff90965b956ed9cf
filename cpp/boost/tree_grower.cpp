#include "boost/tree_grower.hpp"

#include <algorithm>
#include <cmath>

#include "boost/dynamic_program.hpp"

namespace dpdtree::boosting {
namespace {

// Up to so many rows, looking at all of them takes hardly longer than at a sample.
constexpr std::size_t kFewRows = 10'000;
// The sampled rows, and room for as many alternatives as there are below.
constexpr std::size_t kSampleSpaces = 4;

}  // namespace

std::size_t share_of(std::size_t n_rows, const Params& params) {
  const double rows = static_cast<double>(n_rows) * params.subsample;
  return static_cast<std::size_t>(std::llround(rows));
}

Lookahead for_so_many_rows(Lookahead wanted, std::size_t n_rows) {
  const bool few = wanted == Lookahead::light && n_rows <= kFewRows;
  return few ? Lookahead::strong : wanted;
}

double share_compared(Lookahead lookahead) {
  switch (lookahead) {
    case Lookahead::strong:
      return 0.25;
    case Lookahead::light:
      return 0.5;
    case Lookahead::none:
    case Lookahead::full:
      break;
  }
  return 2;  // none of them
}

namespace {

std::size_t spaces_for(Lookahead lookahead, u32 max_depth) {
  switch (lookahead) {
    case Lookahead::light:
    case Lookahead::strong:
      return 3;
    case Lookahead::full:
      return max_depth + 3;  // one per depth, and two more
    case Lookahead::none:
      break;
  }
  return 2;
}

}  // namespace

Params scaled_to_sample(Params params, double share) {
  const double least = std::max(1.0, params.min_samples_leaf * share);
  params.min_samples_leaf = static_cast<u32>(least);
  params.min_child_weight *= share;
  params.gamma *= share;
  params.l2_regularization *= share;
  params.reg_alpha *= share;
  return params;
}

TreeGrower::TreeGrower(const BinnedData& data, const Params& params, std::size_t n_rows)
    : data_(&data),
      params_(&params),
      lookahead_(for_so_many_rows(params.lookahead, share_of(n_rows, params))),
      wide_(wants_wide_cells(share_of(n_rows, params), params)),
      store_(data.histogram_size() * (wide_ ? 2 : 1)),
      spaces_(spaces_for(lookahead_, params.max_depth), n_rows) {
  if (lookahead_ != Lookahead::light) return;
  windows_.emplace(share_of(n_rows, params), data.n_rows(), params.seed);
  sample_params_ = scaled_to_sample(params, windows_->share());
  sample_spaces_ = RowSpaces(kSampleSpaces, 0);
}

GrownTree TreeGrower::grow(const Units& units, u64 number, u64 key, ThreadPool& pool,
                           StopToken& stop) {
  evaluator_.emplace(*data_, store_, pool, stop);
  std::optional<BinnedSplit> root;
  if (lookahead_ == Lookahead::light) root = light_root(units, number, key);
  evaluator_->begin(*params_, units);
  if (lookahead_ == Lookahead::full) return grow_full(key);
  return grow_leafwise(key, root);
}

// The root with all rows, and its best split.
Child TreeGrower::whole(NodeContext context) {
  Child root{std::move(context), spaces_[0], nullptr, {}};
  root.histogram = store_.take();
  evaluator_->search_one(
      {&root.context, root.histogram, root.rows, nullptr, &root.best});
  return root;
}

GrownTree TreeGrower::grow_leafwise(u64 key, std::optional<BinnedSplit> root_rule) {
  const std::vector<RowSet> spaces = spaces_.all();
  const SplitFinder& finder = evaluator_->finder();
  LeafwiseGrower grower(*evaluator_, spaces,
                        {params_->max_leaf_nodes, false, share_compared(lookahead_)});
  NodeContext context = finder.root(evaluator_->sum(spaces[0]), key);
  if (!finder.may_be_split(context) || params_->max_leaf_nodes == 1)
    return grower.grow({context, spaces[0], nullptr, {}});
  if (root_rule) {
    const std::size_t n_left = evaluator_->divide(spaces[0], *root_rule, spaces[1]);
    const GradientSum left = evaluator_->sum(spaces[1].part(0, n_left));
    const FoundSplit split = finder.judge(*root_rule, left, context);
    // No histogram of the root is needed: the children's are built at once.
    if (split.valid)
      return grower.grow_from(
          context, expand_divided(*evaluator_, context, split, spaces[1], n_left));
  }
  return grower.grow(whole(std::move(context)));
}

GrownTree TreeGrower::grow_full(u64 key) {
  const std::vector<RowSet> spaces = spaces_.all();
  const std::span<const RowSet> all(spaces);
  const std::size_t n_levels = params_->max_depth + 1;
  FullSearch search(*evaluator_, all.first(n_levels), all.subspan(n_levels));
  NodeContext context = evaluator_->finder().root(evaluator_->sum(spaces[0]), key);
  if (!evaluator_->finder().may_be_split(context))
    return search.grow({context, spaces[0], nullptr, {}});
  return search.grow(whole(std::move(context)));
}

std::optional<BinnedSplit> TreeGrower::light_root(const Units& units, u64 number,
                                                  u64 key) {
  Units of_sample = units;
  of_sample.noise *= windows_->share();
  evaluator_->begin(sample_params_, of_sample);
  const RowSet from = spaces_[0];
  std::vector<u32>& sample = sampled_;
  windows_->pick({from.rows, from.size}, number, sample);
  sample_spaces_.use(sample.size());
  const RowSet to = sample_spaces_[0];
  for (std::size_t i = 0; i < sample.size(); ++i) {
    to.rows[i] = from.rows[sample[i]];
    to.gradients[i] = from.gradients[sample[i]];
  }
  return root_by_sample(*evaluator_, to, sample_spaces_.all(), key);
}

}  // namespace dpdtree::boosting
