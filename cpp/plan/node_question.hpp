// What a search asks of rows that are elsewhere, and what they answer: the statistics
// of a node and the cells of all its features. Several nodes in one request; answers of
// partitions add up.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "data/column.hpp"
#include "loss/targets.hpp"
#include "node/split.hpp"
#include "split/cell_table.hpp"

namespace dpdtree {

struct PathStep {
  Split split;  // settled
  bool right = false;
};

struct NodeQuestion {
  u32 part = 0;  // of the rows; 0: all of them
  std::vector<PathStep> steps;
  bool cells = true;  // else the statistics alone
};

NodeQuestion question_of(const NodePath* path, bool cells);

// The same for all paths that lead to the same rows by the same splits, whatever their
// order: it is a sum over features, of an interval of codes or a set of categories.
Hash128 node_hash(const NodePath* path, const std::vector<Column>& columns);

std::string write_questions(std::span<const NodeQuestion> questions,
                            const std::vector<Column>& columns);
std::vector<NodeQuestion> read_questions(std::string_view request,
                                         const std::vector<Column>& columns);

// The least and the largest target of each output, of numbers; of no rows: infinities.
struct TargetRange {
  std::vector<double> least, largest;

  TargetRange() = default;
  explicit TargetRange(const Targets& targets);
  void add(const Targets& targets, std::span<const Row> rows);
  TargetRange& operator+=(const TargetRange& other);
  bool one_value() const { return least == largest; }
};

struct NodeFacts {
  u64 n = 0;
  std::vector<double> stats;
  TargetRange range;
  TargetRange sibling;  // what the last split of the path leaves
  bool has_cells = false;
  CellTable cells;

  NodeFacts& operator+=(const NodeFacts& other);
};

std::string write_answer(const CellLayout& layout, std::span<const NodeFacts> facts);
std::vector<NodeFacts> read_answer(std::string_view answer,
                                   const std::shared_ptr<const CellLayout>& layout);
// The answer of all partitions.
std::string merge_node_answers(std::span<const std::string_view> answers);

}  // namespace dpdtree
