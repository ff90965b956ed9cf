// What a search asks of rows that are elsewhere, and what they answer: the statistics
// of a node, the cells of all its features, some of its rows, or what its rows cost on
// either side of a split. Several nodes in one request; answers of partitions add up.
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
#include "plan/sample_question.hpp"
#include "plan/side_costs.hpp"
#include "split/cell_table.hpp"

namespace dpdtree {

struct PathStep {
  Split split;  // settled
  bool right = false;
};

// The statistics come with every answer. `largest_cost`: of a row, more on one side
// than on the other; `side_cells`: the cells of these differences.
enum class Asked : u8 { sums, cells, sample, largest_cost, side_cells };

struct NodeQuestion {
  u32 part = 0;  // of the rows; 0: all of them
  std::vector<PathStep> steps;
  Asked what = Asked::cells;
  SampleQuestion sample;
  SideQuestion sides;
};

NodeQuestion question_of(const NodePath* path, Asked what);

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
  TargetRange sibling;          // what the last split of the path leaves
  std::vector<PartSize> parts;  // partition after partition
  Asked what = Asked::sums;
  CellTable cells;     // of the node, or of what its rows cost
  u64 n_counted = 0;   // side_cells: rows in them
  double largest = 0;  // largest_cost
  DrawnRows drawn;     // sample

  NodeFacts& operator+=(const NodeFacts& other);
};

// The layouts of a node's cells, and of what its rows cost.
struct AnswerLayouts {
  AnswerLayouts() = default;
  AnswerLayouts(const std::vector<Column>& columns, const Targets& targets);

  std::shared_ptr<const CellLayout> cells, sides;
  const std::shared_ptr<const CellLayout>& of(Asked what) const {
    return what == Asked::side_cells ? sides : cells;
  }
};

std::string write_answer(const CellLayout& layout, std::span<const NodeFacts> facts);
std::vector<NodeFacts> read_answer(std::string_view answer,
                                   const AnswerLayouts& layouts);
// The answer of all partitions.
std::string merge_node_answers(std::span<const std::string_view> answers);

}  // namespace dpdtree
