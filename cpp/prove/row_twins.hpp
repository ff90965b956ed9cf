// Rows that no split tells apart: what their targets differ in, any tree loses.
#pragma once

#include <vector>

#include "loss/criterion.hpp"
#include "prove/ranked_rows.hpp"

namespace dpdtree {

class RowTwins {
 public:
  RowTwins(const ExactData& data, Criterion loss);

  // So many rows are told apart: no tree has more leaves.
  u32 n_distinct() const { return n_distinct_; }

  // Do no twins differ in their targets?
  bool lose_nothing() const { return n_groups_ == 0; }

  // What any tree for these of the rows loses at least. Entries may carry kGroupEnd.
  double least_loss(const std::vector<u32>& entries);

  // The same, where twins are never parted: the sum of this over the rows.
  double loss_of_row(u32 row) const { return row_loss_[row]; }

 private:
  static constexpr u32 kAlone = ~0u;

  void keep_mixed(const std::vector<u32>& sorted, std::size_t begin, std::size_t end);
  void add_up(const std::vector<u32>& entries);  // into the sums
  double loss_of_group(u32 group) const;

  const ExactData& data_;
  Criterion loss_;
  u32 n_distinct_ = 0;
  std::size_t width_;
  u32 n_groups_ = 0;
  std::vector<u32> group_;  // per row: of twins that differ in their targets, or kAlone
  std::vector<double> row_loss_;  // of a group, at its first row
  std::vector<double> sums_;      // statistics per group; zero between calls
};

}  // namespace dpdtree
