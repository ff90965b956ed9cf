// Fast prediction: a value is compared once with all thresholds of its feature, then
// trees are walked on small integers, eight rows side by side.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "data/category_set.hpp"
#include "data/matrix_view.hpp"
#include "tree/forest.hpp"

namespace dpdtree {

class ForestPredictor {
 public:
  // Codes of some consecutive rows: [column][row].
  struct RowBlock {
    std::size_t first = 0;
    std::size_t n = 0;
    std::vector<u16> codes;
  };

  explicit ForestPredictor(const Forest& forest);

  // out[row * row_step + output * output_step] = baseline + the trees' values, added
  // in the order of the iterations.
  struct Target {
    double* out = nullptr;
    std::size_t row_step = 1;
    std::size_t output_step = 1;
  };
  void predict(const MatrixView& x, std::size_t n_iterations, Target target,
               ThreadPool& pool) const;

  // For scores after each iteration: all rows encoded, then trees begin … end-1 added.
  std::vector<RowBlock> encode(const MatrixView& x, ThreadPool& pool) const;
  void add_trees(const RowBlock& block, std::size_t begin, std::size_t end,
                 const Target& target) const;

  // The leaf of every row in every tree, row-major.
  void apply(const MatrixView& x, ThreadPool& pool, i32* leaf) const;

 private:
  // A row goes left if its code in `column` is at most `cut`, or is in the set. Leaves
  // lead to themselves.
  struct Node {
    u32 column = 0;
    u32 cut = 0;
    u32 left = 0;
    u32 right = 0;
  };
  // What is made of one feature: its codes with missing values below all cuts or
  // above; or the category, 255 if unknown or missing.
  struct Column {
    u32 feature = 0;
    bool categorical = false;
    bool missing_left = false;
  };
  struct FlatTree {
    std::size_t first = 0;  // of its nodes
    u32 depth = 0;
    bool categorical = false;
  };

  void collect_thresholds(const Forest& forest);
  void flatten(const Tree& tree);
  u32 column_of(u32 feature, bool categorical, bool missing_left);
  void encode_column(const MatrixView& x, const Column& column, std::size_t first,
                     std::size_t n, u16* out) const;
  void leaves(const FlatTree& tree, const RowBlock& block, u32* leaf) const;
  template <bool Categorical>
  void walk(const FlatTree& tree, const RowBlock& block, u32* leaf) const;
  RowBlock encode_block(const MatrixView& x, std::size_t number) const;

  const Forest* forest_;
  std::vector<std::vector<double>> thresholds_;  // per feature, ascending
  std::vector<Column> columns_;
  std::vector<u32> column_at_;  // by feature, kind; ~0: none
  std::vector<FlatTree> trees_;
  std::vector<Node> nodes_;
  std::vector<double> values_;
  std::vector<ByteCategorySet> sets_;  // per node; empty if nothing is categorical
};

}  // namespace dpdtree
