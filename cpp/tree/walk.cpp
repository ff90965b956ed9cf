#include "tree/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpdtree {
namespace {

CategorySet set_of(std::span<const i64> numbers) {
  CategorySet set(numbers.empty() ? 0 : static_cast<u32>(numbers.back()) + 1);
  for (const i64 number : numbers) set.insert(static_cast<u32>(number));
  return set;
}

}  // namespace

TreeWalk::TreeWalk(const Tree& tree, std::ptrdiff_t col_stride)
    : steps_(tree.node_count()),
      categories_(tree.category_end.empty() ? 0 : tree.node_count()) {
  std::vector<u32> depth(steps_.size(), 0);
  for (u32 node = 0; node < steps_.size(); ++node) {
    depth_ = std::max(depth_, depth[node]);
    if (tree.is_leaf(node)) {
      steps_[node].next[0] = steps_[node].next[1] = node;
      continue;
    }
    const auto right = static_cast<u32>(tree.children_right[node]);
    depth[node + 1] = depth[right] = depth[node] + 1;
    add_split(tree, node, col_stride);
  }
}

void TreeWalk::add_split(const Tree& tree, u32 node, std::ptrdiff_t col_stride) {
  const bool missing_left = tree.missing_go_to_left[node] != 0;
  const auto right = static_cast<u32>(tree.children_right[node]);
  Step& step = steps_[node];
  step.offset = static_cast<std::ptrdiff_t>(tree.feature[node]) * col_stride;
  step.threshold = tree.threshold[node];
  step.next[0] = right;
  step.next[1] = node + 1;
  if (tree.is_categorical(node)) {
    categories_[node] = {true, missing_left, set_of(tree.left_categories(node))};
  } else if (missing_left) {
    constexpr double kLowest = -std::numeric_limits<double>::infinity();
    step.sign = -1;
    step.threshold = std::nextafter(-step.threshold, kLowest);
    std::swap(step.next[0], step.next[1]);
  }
}

template <class T, bool Categorical>
inline u32 TreeWalk::next(u32 node, const Step& step, const std::byte* row) const {
  const double value = load_as_double<T>(row + step.offset);
  if constexpr (Categorical) {
    const Categories& known = categories_[node];
    if (known.split) {
      if (std::isnan(value)) return step.next[known.missing_left ? 1 : 0];
      const bool left = value >= 0 && value < known.left.capacity() &&
                        known.left.contains(static_cast<u32>(value));
      return step.next[left ? 1 : 0];
    }
  }
  return step.next[value * step.sign <= step.threshold ? 1 : 0];
}

// All rows take one step.
template <class T, bool Categorical>
void TreeWalk::walk_on(const MatrixView& x, u32* node) const {
  const Step* steps = steps_.data();
  const std::byte* row = x.data;
  for (std::size_t i = 0; i < x.rows; ++i, row += x.row_stride)
    node[i] = next<T, Categorical>(node[i], steps[node[i]], row);
}

bool TreeWalk::are_leaves(std::span<const u32> nodes) const {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](u32 node) { return steps_[node].next[0] == node; });
}

template <class T, bool Categorical>
void TreeWalk::walk(const MatrixView& x, u32* leaf) const {
  std::fill_n(leaf, x.rows, 0u);
  if (depth_ == 0) return;
  const Step root = steps_.front();
  const std::byte* row = x.data;
  for (std::size_t i = 0; i < x.rows; ++i, row += x.row_stride)
    leaf[i] = next<T, Categorical>(0, root, row);
  for (u32 level = 1; level < depth_; ++level) {
    // Some paths are much longer than others in a tree without a limit.
    if (level >= 8 && level % 4 == 0 && are_leaves({leaf, x.rows})) return;
    walk_on<T, Categorical>(x, leaf);
  }
}

void TreeWalk::leaves(const MatrixView& x, u32* leaf) const {
  visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    if (categories_.empty())
      walk<T, false>(x, leaf);
    else
      walk<T, true>(x, leaf);
  });
}

void TreeWalk::path(const MatrixView& x, std::vector<i64>& nodes) const {
  visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    u32 node = 0;
    nodes.push_back(node);
    while (steps_[node].next[0] != node) {
      node = categories_.empty() ? next<T, false>(node, steps_[node], x.data)
                                 : next<T, true>(node, steps_[node], x.data);
      nodes.push_back(node);
    }
  });
}

u32 leaf_of_row(const Tree& tree, const MatrixView& x, std::size_t row) {
  MatrixView column = rows_of(x, row, row + 1);
  u32 node = 0;
  while (!tree.is_leaf(node)) {
    column.data = x.data + static_cast<std::ptrdiff_t>(row) * x.row_stride +
                  static_cast<std::ptrdiff_t>(tree.feature[node]) * x.col_stride;
    const double value = load(column, 0);
    bool left = value <= tree.threshold[node];
    if (std::isnan(value)) {
      left = tree.missing_go_to_left[node] != 0;
    } else if (tree.is_categorical(node)) {
      const auto known = tree.left_categories(node);
      left = value >= 0 && value < static_cast<double>(kMostCategories) &&
             std::binary_search(known.begin(), known.end(), static_cast<i64>(value));
    }
    node = left ? node + 1 : static_cast<u32>(tree.children_right[node]);
  }
  return node;
}

}  // namespace dpdtree
