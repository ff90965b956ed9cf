#include "plan/tree_partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "data/rows.hpp"

namespace dpdtree {

TreePartition::TreePartition(std::vector<Column> columns, Targets targets,
                             const double* weights, std::vector<u8> fold_of,
                             std::size_t place)
    : columns_(std::move(columns)),
      targets_(std::move(targets)),
      layouts_(columns_, targets_),
      fold_of_(std::move(fold_of)),
      place_(place) {
  const auto n = static_cast<Row>(
      (targets_.classification() ? targets_.label.size() : targets_.y.size()) /
      targets_.n_outputs);
  if (!fold_of_.empty() && fold_of_.size() != n)
    throw InputError("there must be a fold for each row");
  for (Row r = 0; r < n; ++r)
    if (weights == nullptr || weights[r] > 0) rows_.push_back(r);
}

std::string TreePartition::answer(std::string_view request, unsigned n_threads) const {
  const std::vector<NodeQuestion> questions = read_questions(request, columns_);
  std::vector<NodeFacts> facts(questions.size());
  std::map<u32, std::vector<Open>> by_part;
  for (std::size_t i = 0; i < questions.size(); ++i)
    by_part[questions[i].part].push_back({&questions[i], &facts[i]});
  ThreadPool pool(n_threads);
  for (const auto& [part, asked] : by_part) {
    const RowBuffer rows = rows_of_part(part);
    descend(rows, {}, asked, 0, pool);
  }
  return write_answer(*layouts_.cells, facts);
}

RowBuffer TreePartition::rows_of_part(u32 part) const {
  if (part == 0) return rows_;
  if (fold_of_.empty() && !rows_.empty())
    throw InputError("a request asks for folds, of which there are none");
  RowBuffer out;
  const u32 fold = (part - 1) / 2;
  const bool training = part == training_part(fold);
  for (const Row r : rows_)
    if ((fold_of_[r] != fold) == training) out.push_back(r);
  return out;
}

// Rows are divided once for all questions below a split.
void TreePartition::descend(Rows rows, Rows sibling, const std::vector<Open>& open,
                            std::size_t depth, ThreadPool& pool) const {
  std::map<std::string, std::vector<Open>> by_split;
  for (const Open& one : open) {
    const NodeQuestion& q = *one.question;
    if (q.steps.size() == depth) {
      fill(*one.facts, q, rows, sibling, pool);
      continue;
    }
    NodeQuestion step;
    step.steps.push_back({q.steps[depth].split, false});
    by_split[write_questions({&step, 1}, columns_)].push_back(one);
  }
  RowBuffer out(rows.size()), spare;
  for (const auto& [_, below] : by_split) {
    const Split& split = below[0].question->steps[depth].split;
    const Column& column = columns_[split.feature];
    const u32 n_left = partition_rows(column, split.left_codes(column), rows,
                                      out.data(), spare, &pool);
    const Rows left(out.data(), n_left),
        right(out.data() + n_left, out.size() - n_left);
    std::vector<Open> side[2];
    for (const Open& one : below)
      side[one.question->steps[depth].right ? 1 : 0].push_back(one);
    if (!side[0].empty()) descend(left, right, side[0], depth + 1, pool);
    if (!side[1].empty()) descend(right, left, side[1], depth + 1, pool);
  }
}

void TreePartition::fill(NodeFacts& facts, const NodeQuestion& q, Rows rows,
                         Rows sibling, ThreadPool& pool) const {
  facts.n = rows.size();
  facts.stats.resize(targets_.stats_width());
  targets_.accumulate(rows, facts.stats.data());
  facts.range = facts.sibling = TargetRange(targets_);
  facts.range.add(targets_, rows);
  facts.sibling.add(targets_, sibling);
  facts.parts = {{rows.size(), targets_.total_weight(facts.stats)}};
  facts.what = q.what;
  if (q.what == Asked::cells) {
    facts.cells = CellTable(layouts_.cells);
    facts.cells.count(columns_, targets_, rows, pool);
  } else if (q.what == Asked::sample) {
    const auto drawn = drawn_rows(targets_, rows, q.sample.draw_at(place_));
    facts.drawn = DrawnRows(columns_, targets_, q.sample.features, drawn);
  } else if (q.what != Asked::sums) {
    fill_sides(facts, q, rows, pool);
  }
}

void TreePartition::fill_sides(NodeFacts& facts, const NodeQuestion& q, Rows rows,
                               ThreadPool& pool) const {
  Targets costs;
  costs.y.resize(targets_.classification() ? targets_.label.size() : targets_.y.size());
  q.sides.assign(columns_, targets_, rows, costs.y.data());
  if (q.what == Asked::largest_cost) {
    for (const Row r : rows)
      facts.largest = std::max(facts.largest, std::fabs(costs.y[r]));
    return;
  }
  const Grid grid(q.sides.largest, q.sides.n);
  RowBuffer counted;
  for (const Row r : rows) {
    costs.y[r] = grid(costs.y[r]);
    if (!q.sides.only_mattering || costs.y[r] != 0) counted.push_back(r);
  }
  facts.n_counted = counted.size();
  facts.cells = CellTable(layouts_.sides);
  facts.cells.count(columns_, costs, counted, pool);
}

RowCards TreePartition::cards(const std::vector<std::vector<u32>>& ranks) const {
  if (ranks.size() != columns_.size())
    throw InputError("there must be ranks for each column");
  for (std::size_t f = 0; f < ranks.size(); ++f)
    if (ranks[f].size() < columns_[f].n_codes())
      throw InputError("there must be a rank for each code");
  RowCards out;
  out.row.assign(rows_.begin(), rows_.end());
  out.hash.assign(rows_.size(), 0);
  for (std::size_t f = 0; f < ranks.size(); ++f)
    visit_codes(columns_[f].code, [&](const auto* code) {
      for (std::size_t i = 0; i < rows_.size(); ++i)
        out.hash[i] = mix64(out.hash[i] ^ ranks[f][code[rows_[i]]]);
    });
  for (const Row r : rows_) out.group.push_back(class_group(targets_, r));
  return out;
}

}  // namespace dpdtree
