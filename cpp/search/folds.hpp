// Which rows a tree is tested on that it has not seen.
#pragma once

#include <vector>

#include "search/search.hpp"

namespace dpdtree {

// Rows to train on and rows to test on. Whole weights count copies of a row, which may
// be on both sides: then the weights of all rows, by row, are here; else both are
// empty, and each row is on one side with the weight it has.
struct Fold {
  RowBuffer train;
  RowBuffer test;
  std::vector<double> train_weight;
  std::vector<double> test_weight;
  // Of rows that are elsewhere: the parts they are (see plan/tree_partition.hpp).
  u32 training_part = 0;
  u32 test_part = 0;
};

// Deals the rows out: in the order of their classes and, within them, of a hash of the
// ranks of their values, one to each fold in turn. So folds depend neither on the order
// of rows nor on threads, nor on the scale of a feature; classes are spread evenly;
// equal rows go to different folds; rows without weight change nothing; and a row of
// weight w falls as w copies of it do.
// Fewer folds than asked for if there are fewer rows, none if there is but one.
// Of rows that are elsewhere, where somebody has dealt them, the parts.
std::vector<Fold> make_folds(const Search& search, const TrainingData& data,
                             u32 n_folds);

// The rank of each code, by column, that the hash is made of; from the cells of all
// rows.
std::vector<std::vector<u32>> ranks_for_folds(const std::vector<Column>& columns,
                                              const CellTable& cells);

}  // namespace dpdtree
