// Some of the rows of a fit that is searched elsewhere. It answers requests for nodes;
// answers depend on the request alone, so that whoever holds the rows can give them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plan/node_question.hpp"
#include "plan/row_runs.hpp"

namespace dpdtree {

// Deals rows to folds by the order of these, see search/folds.hpp.
struct RowCards {
  std::vector<u64> group;  // the class, or 0
  std::vector<u64> hash;   // of the ranks of the row's values
  std::vector<Row> row;
};

class TreePartition {
 public:
  // `weights` as they were given, or null: rows without any are left out. `fold_of` has
  // an entry for each row, or none if there are no folds. `place`: how many partitions
  // come before this one.
  TreePartition(std::vector<Column> columns, Targets targets, const double* weights,
                std::vector<u8> fold_of, std::size_t place = 0);

  std::string answer(std::string_view request, unsigned n_threads) const;

  // Those that follow one another.
  RowRuns runs() const { return {columns_, targets_, rows_}; }

  // The rank of each code, by column.
  RowCards cards(const std::vector<std::vector<u32>>& ranks) const;

 private:
  using Rows = std::span<const Row>;
  struct Open {
    const NodeQuestion* question;
    NodeFacts* facts;
  };
  void descend(Rows rows, Rows sibling, const std::vector<Open>& open,
               std::size_t depth, ThreadPool& pool) const;
  void fill(NodeFacts& facts, const NodeQuestion& question, Rows rows, Rows sibling,
            ThreadPool& pool) const;
  void fill_sides(NodeFacts& facts, const NodeQuestion& question, Rows rows,
                  ThreadPool& pool) const;
  RowBuffer rows_of_part(u32 part) const;

  std::vector<Column> columns_;
  Targets targets_;
  AnswerLayouts layouts_;
  RowBuffer rows_;
  std::vector<u8> fold_of_;
  std::size_t place_;
};

// Parts of the rows that folds train on, and are tested on.
constexpr u32 training_part(u32 fold) { return 2 * fold + 1; }
constexpr u32 test_part(u32 fold) { return 2 * fold + 2; }

}  // namespace dpdtree
