#include "tree/forest_predictor.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kRows = 256;  // a block: its codes stay in the first cache
constexpr std::size_t kSide = 8;    // rows walked side by side
constexpr u16 kMissingRight = 0xffff;
constexpr u32 kAlwaysLeft = 0xffff;
constexpr u16 kUnknownCategory = 255;

}  // namespace

ForestPredictor::ForestPredictor(const Forest& forest)
    : forest_(&forest),
      thresholds_(forest.n_features),
      column_at_(std::size_t{forest.n_features} * 3, ~0u) {
  collect_thresholds(forest);
  const bool categorical =
      std::any_of(forest.trees.begin(), forest.trees.end(),
                  [](const auto& tree) { return !tree->category_end.empty(); });
  for (const auto& tree : forest.trees) flatten(*tree);
  if (!categorical) sets_.clear();
}

void ForestPredictor::collect_thresholds(const Forest& forest) {
  for (const auto& tree : forest.trees)
    for (std::size_t i = 0; i < tree->node_count(); ++i)
      if (!tree->is_leaf(i) && !tree->is_categorical(i))
        thresholds_[static_cast<std::size_t>(tree->feature[i])].push_back(
            tree->threshold[i]);
  for (auto& t : thresholds_) {
    std::sort(t.begin(), t.end());
    t.erase(std::unique(t.begin(), t.end()), t.end());
    if (t.size() >= kMissingRight)
      throw InputError("the model has too many thresholds of one feature");
  }
}

u32 ForestPredictor::column_of(u32 feature, bool categorical, bool missing_left) {
  const u32 kind = categorical ? 2 : missing_left ? 1 : 0;
  u32& at = column_at_[std::size_t{feature} * 3 + kind];
  if (at == ~0u) {
    at = static_cast<u32>(columns_.size());
    columns_.push_back({feature, categorical, missing_left});
  }
  return at;
}

void ForestPredictor::flatten(const Tree& tree) {
  FlatTree flat{nodes_.size(), 0, !tree.category_end.empty()};
  std::vector<u32> depth(tree.node_count(), 0);
  for (u32 i = 0; i < tree.node_count(); ++i) {
    values_.push_back(tree.value[i]);
    sets_.push_back({});
    flat.depth = std::max(flat.depth, depth[i]);
    if (tree.is_leaf(i)) {
      nodes_.push_back({0, kAlwaysLeft, i, i});
      continue;
    }
    const auto feature = static_cast<u32>(tree.feature[i]);
    const auto left = static_cast<u32>(tree.children_left[i]);
    const auto right = static_cast<u32>(tree.children_right[i]);
    depth[left] = depth[right] = depth[i] + 1;
    const bool missing_left = tree.missing_go_to_left[i] != 0;
    if (tree.is_categorical(i)) {
      for (const i64 category : tree.left_categories(i))
        sets_.back().insert(static_cast<u32>(category));
      sets_.back().assign(kUnknownCategory, missing_left);
      nodes_.push_back({column_of(feature, true, false), ~0u, left, right});
      continue;
    }
    const auto& t = thresholds_[feature];
    const auto cut =
        std::lower_bound(t.begin(), t.end(), tree.threshold[i]) - t.begin();
    nodes_.push_back(
        {column_of(feature, false, missing_left), static_cast<u32>(cut), left, right});
  }
  trees_.push_back(flat);
}

void ForestPredictor::encode_column(const MatrixView& x, const Column& column,
                                    std::size_t first, std::size_t n, u16* out) const {
  const auto& t = thresholds_[column.feature];
  const std::byte* p = x.data + static_cast<std::ptrdiff_t>(first) * x.row_stride +
                       static_cast<std::ptrdiff_t>(column.feature) * x.col_stride;
  const u16 missing = column.missing_left ? 0 : kMissingRight;
  visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    for (std::size_t i = 0; i < n; ++i, p += x.row_stride) {
      const double v = load_as_double<T>(p);
      if (column.categorical) {
        const bool known = v >= 0 && v < kUnknownCategory && v == std::floor(v);
        out[i] = known ? static_cast<u16>(v) : kUnknownCategory;
        continue;
      }
      // Halving without branches: as many thresholds as are below the value.
      const double* base = t.data();
      for (std::size_t left = t.size(); left > 0;) {
        const std::size_t half = (left + 1) / 2;
        base += base[half - 1] < v ? half : 0;
        left -= half;
      }
      out[i] = std::isnan(v) ? missing : static_cast<u16>(base - t.data());
    }
  });
}

ForestPredictor::RowBlock ForestPredictor::encode_block(const MatrixView& x,
                                                        std::size_t number) const {
  RowBlock block{number * kRows, std::min(kRows, x.rows - number * kRows), {}};
  // At least one column: leaves look at the first.
  block.codes.assign(std::max<std::size_t>(1, columns_.size()) * kRows, 0);
  for (std::size_t c = 0; c < columns_.size(); ++c)
    encode_column(x, columns_[c], block.first, block.n, block.codes.data() + c * kRows);
  return block;
}

std::vector<ForestPredictor::RowBlock> ForestPredictor::encode(const MatrixView& x,
                                                               ThreadPool& pool) const {
  std::vector<RowBlock> blocks((x.rows + kRows - 1) / kRows);
  pool.parallel_for(blocks.size(),
                    [&](std::size_t b, unsigned) { blocks[b] = encode_block(x, b); });
  return blocks;
}

template <bool Categorical>
void ForestPredictor::walk(const FlatTree& tree, const RowBlock& block,
                           u32* leaf) const {
  const Node* nodes = nodes_.data() + tree.first;
  const u16* codes = block.codes.data();
  for (std::size_t r = 0; r < block.n; r += kSide) {
    u32 at[kSide]{};
    for (u32 level = 0; level < tree.depth; ++level)
      for (std::size_t i = 0; i < kSide; ++i) {
        const Node& node = nodes[at[i]];
        const u32 code = codes[std::size_t{node.column} * kRows + r + i];
        bool left = code <= node.cut;
        if constexpr (Categorical) {
          if (node.cut == ~0u) left = sets_[tree.first + at[i]].contains(code);
        }
        at[i] = left ? node.left : node.right;
      }
    for (std::size_t i = 0; i < kSide; ++i) leaf[r + i] = at[i];
  }
}

void ForestPredictor::leaves(const FlatTree& tree, const RowBlock& block,
                             u32* leaf) const {
  if (tree.categorical)
    walk<true>(tree, block, leaf);
  else
    walk<false>(tree, block, leaf);
}

void ForestPredictor::add_trees(const RowBlock& block, std::size_t begin,
                                std::size_t end, const Target& target) const {
  u32 leaf[kRows];
  for (std::size_t t = begin; t < end; ++t) {
    const std::size_t output = t % forest_->n_outputs;
    leaves(trees_[t], block, leaf);
    const double* value = values_.data() + trees_[t].first;
    double* out =
        target.out + block.first * target.row_step + output * target.output_step;
    for (std::size_t i = 0; i < block.n; ++i)
      out[i * target.row_step] += value[leaf[i]];
  }
}

void ForestPredictor::predict(const MatrixView& x, std::size_t n_iterations,
                              Target target, ThreadPool& pool) const {
  const std::size_t n_trees =
      std::min(n_iterations, forest_->n_iterations()) * forest_->n_outputs;
  pool.parallel_for((x.rows + kRows - 1) / kRows, [&](std::size_t task, unsigned) {
    const RowBlock block = encode_block(x, task);
    for (std::size_t i = 0; i < block.n; ++i)
      for (u32 k = 0; k < forest_->n_outputs; ++k)
        target.out[(block.first + i) * target.row_step + k * target.output_step] =
            forest_->baseline[k];
    add_trees(block, 0, n_trees, target);
  });
}

void ForestPredictor::apply(const MatrixView& x, ThreadPool& pool, i32* leaf) const {
  const std::size_t n_trees = trees_.size();
  pool.parallel_for((x.rows + kRows - 1) / kRows, [&](std::size_t task, unsigned) {
    const RowBlock block = encode_block(x, task);
    u32 at[kRows];
    for (std::size_t t = 0; t < n_trees; ++t) {
      leaves(trees_[t], block, at);
      for (std::size_t i = 0; i < block.n; ++i)
        leaf[(block.first + i) * n_trees + t] = static_cast<i32>(at[i]);
    }
  });
}

}  // namespace dpdtree
