#include "tree/predict.hpp"

#include <algorithm>
#include <cmath>

#include "data/category_set.hpp"

namespace dpdtree {
namespace {

// Node fields a prediction reads, side by side in one cache line's half.
struct Step {
  double threshold;
  std::ptrdiff_t offset;  // of the feature within a row, in bytes
  u32 right;
  u32 set;  // of categories; kNoSet: a split of numbers
  u8 missing_left;
  u8 leaf;
};

constexpr u32 kNoSet = ~0u;

struct Steps {
  std::vector<Step> step;
  std::vector<CategorySet> sets;  // of category numbers
};

CategorySet set_of(std::span<const i64> numbers) {
  CategorySet set(static_cast<u32>(numbers.back()) + 1);
  for (const i64 number : numbers) set.insert(static_cast<u32>(number));
  return set;
}

Steps make_steps(const Tree& tree, const MatrixView& x) {
  Steps out;
  out.step.resize(tree.node_count());
  auto& steps = out.step;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& s = steps[i];
    s.leaf = tree.is_leaf(i);
    if (s.leaf) continue;
    s.threshold = tree.threshold[i];
    s.offset = static_cast<std::ptrdiff_t>(tree.feature[i]) * x.col_stride;
    s.right = static_cast<u32>(tree.children_right[i]);
    s.missing_left = tree.missing_go_to_left[i];
    const auto categories = tree.left_categories(i);
    s.set = categories.empty() ? kNoSet : static_cast<u32>(out.sets.size());
    if (!categories.empty()) out.sets.push_back(set_of(categories));
  }
  return out;
}

template <class T>
u32 next_node(const Steps& steps, u32 node, const std::byte* row) {
  const Step& s = steps.step[node];
  const double v = load_as_double<T>(row + s.offset);
  bool left = v <= s.threshold;
  if (std::isnan(v)) {
    left = s.missing_left != 0;
  } else if (s.set != kNoSet) {
    const CategorySet& set = steps.sets[s.set];
    left = v >= 0 && v < set.capacity() && set.contains(static_cast<u32>(v));
  }
  return left ? node + 1 : s.right;
}

const std::byte* row_of(const MatrixView& x, std::size_t i) {
  return x.data + static_cast<std::ptrdiff_t>(i) * x.row_stride;
}

}  // namespace

void apply(const Tree& tree, const MatrixView& x, ThreadPool& pool, i64* leaf) {
  const auto steps = make_steps(tree, x);
  constexpr std::size_t kRowsPerTask = 1 << 14;
  const std::size_t n_tasks = (x.rows + kRowsPerTask - 1) / kRowsPerTask;
  visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    pool.parallel_for(n_tasks, [&](std::size_t task, unsigned) {
      const std::size_t end = std::min(x.rows, (task + 1) * kRowsPerTask);
      for (std::size_t i = task * kRowsPerTask; i < end; ++i) {
        const std::byte* row = row_of(x, i);
        u32 node = 0;
        while (!steps.step[node].leaf) node = next_node<T>(steps, node, row);
        leaf[i] = node;
      }
    });
  });
}

void decision_path(const Tree& tree, const MatrixView& x, std::vector<i64>& indptr,
                   std::vector<i64>& indices) {
  const auto steps = make_steps(tree, x);
  indptr.assign(1, 0);
  visit_dtype(x.dtype, [&](auto* tag) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
    for (std::size_t i = 0; i < x.rows; ++i) {
      u32 node = 0;
      indices.push_back(node);
      while (!steps.step[node].leaf) {
        node = next_node<T>(steps, node, row_of(x, i));
        indices.push_back(node);
      }
      indptr.push_back(static_cast<i64>(indices.size()));
    }
  });
}

}  // namespace dpdtree
