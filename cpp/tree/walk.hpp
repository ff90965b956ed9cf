// A tree in the form in which many rows walk it, without a branch to mispredict.
//
// All rows take as many steps as the longest path has: leaves lead to themselves. One
// comparison decides a step, missing values included: they compare false. Where they go
// left, the comparison is turned round, "not above" instead of "at most": the value is
// taken with the other sign, v > t being -v <= the next number below -t.
#pragma once

#include <span>
#include <vector>

#include "data/category_set.hpp"
#include "data/matrix_view.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

class TreeWalk {
 public:
  // Columns of the rows to come are so many bytes apart.
  TreeWalk(const Tree& tree, std::ptrdiff_t col_stride);

  // The leaf of every row.
  void leaves(const MatrixView& x, u32* leaf) const;

  // Appends the nodes that the first row passes.
  void path(const MatrixView& x, std::vector<i64>& nodes) const;

 private:
  struct Step {
    double threshold = 0;
    double sign = 1;            // by which the value is multiplied
    std::ptrdiff_t offset = 0;  // of the feature within a row, in bytes
    u32 next[2] = {0, 0};       // where the comparison is false, and where it is true
  };
  struct Categories {
    bool split = false;  // else the node is none of categories
    bool missing_left = false;
    CategorySet left;
  };

  void add_split(const Tree& tree, u32 node, std::ptrdiff_t col_stride);
  template <class T, bool Categorical>
  u32 next(u32 node, const Step& step, const std::byte* row) const;
  template <class T, bool Categorical>
  void walk(const MatrixView& x, u32* leaf) const;
  template <class T, bool Categorical>
  void walk_on(const MatrixView& x, u32* node) const;
  bool are_leaves(std::span<const u32> nodes) const;

  std::vector<Step> steps_;
  std::vector<Categories> categories_;  // by node; empty if no split is of categories
  u32 depth_ = 0;
};

// The leaf of one row, straight from the tree: for a few rows.
u32 leaf_of_row(const Tree& tree, const MatrixView& x, std::size_t row);

}  // namespace dpdtree
