#include "search/refine_rows.hpp"

#include <algorithm>
#include <cmath>

#include "node/partition.hpp"
#include "split/thresholds.hpp"

namespace dpdtree {

LocalRefineRows::Halves::Halves(LocalRefineRows& owner, const Split& split,
                                const Part& part)
    : owner_(owner), paths_{{part.path, split, false, 0}, {part.path, split, true, 0}} {
  if (owner.used_ == owner.buffers_.size()) owner.buffers_.emplace_back();
  RowBuffer& buffer = owner.buffers_[owner.used_++];
  const Rows rows = part.rows;
  if (buffer.size() < rows.size()) buffer.resize(rows.size());
  SearchContext& c = owner.job_.context;
  const Column& column = c.problem.columns[split.feature];
  const u32 n_left = partition_rows(column, split.left_codes(column), rows,
                                    buffer.data(), c.spare_rows);
  left = {{buffer.data(), n_left}, &paths_[0]};
  right = {{buffer.data() + n_left, rows.size() - n_left}, &paths_[1]};
}

std::vector<double> LocalRefineRows::stats(const Part& part) const {
  std::vector<double> stats(job_.targets().stats_width());
  job_.targets().accumulate(part.rows, stats.data());
  return stats;
}

// Sums of integers: the larger side is what the smaller one leaves.
std::pair<std::vector<double>, std::vector<double>> LocalRefineRows::stats_of(
    const Halves& h, const std::vector<double>& whole) const {
  const Targets& t = job_.targets();
  const bool left_first = size(h.left) <= size(h.right);
  std::vector<double> first = stats(left_first ? h.left : h.right), second;
  if (t.exact_sums()) {
    second.resize(whole.size());
    for (std::size_t k = 0; k < whole.size(); ++k) second[k] = whole[k] - first[k];
  } else {
    second = stats(left_first ? h.right : h.left);
  }
  if (left_first) return {std::move(first), std::move(second)};
  return {std::move(second), std::move(first)};
}

NodeView LocalRefineRows::view(const Part& part, std::span<const double> stats) const {
  NodeView view{part.rows, stats, job_.targets().total_weight(stats), {}};
  view.path = part.path;
  return view;
}

NodeView LocalRefineRows::named_view(const Part& part,
                                     std::span<const double> stats) const {
  NodeView named = view(part, stats);
  named.hash = job_.context.problem.hash(part.rows);
  return named;
}

double LocalRefineRows::log_choices(const Part& part, const Split& split) {
  SearchContext& c = job_.context;
  return dpdtree::log_choices(c.problem.columns[split.feature], part.rows, split,
                              c.scratch.seen_codes);
}

// split_stats decides the side of missing values, as everywhere; where none are missing
// and rows weigh the same, their number does.
void LocalRefineRows::settle(const NodeView& view, Split& split) const {
  const Problem& p = job_.context.problem;
  const Targets& t = p.targets;
  const Column& column = p.columns[split.feature];
  if (!t.exact_sums() || t.general || column.n_missing > 0) {
    std::vector<double> stats(2 * t.stats_width());
    split_stats(p, view, split, stats.data(), stats.data() + t.stats_width());
    return;
  }
  std::size_t n_left = 0;
  visit_codes(column.code, [&](const auto* code) {
    visit_side(split.left_codes(column), [&](auto is_left) {
      for (const Row r : view.rows) n_left += is_left(code[r]) ? 1 : 0;
    });
  });
  split.missing = 2 * n_left > view.n() ? Missing::left : Missing::right;
}

FoundSplit LocalRefineRows::best_for_sides(const RefNodes& nodes, const RefNode& node,
                                           const Part& part) {
  assign_costs(nodes, node.left, part, 0, [](double& y, double cost) { y = cost; });
  assign_costs(nodes, node.right, part, 0, [](double& y, double cost) { y -= cost; });
  if (job_.targets().order_free) round_costs(part.rows);
  const Rows rows = job_.only_mattering() ? mattering(part.rows) : part.rows;
  if (rows.size() < 2) return {};
  std::vector<double> stats(3);
  job_.sides.targets.accumulate(rows, stats.data());
  const NodeView view{rows, stats, static_cast<double>(rows.size()), {}};
  FeatureList features = job_.features;
  SearchContext& c = job_.context;
  return job_.sides.finder.find(view, features, {}, c.scratch, c.poller);
}

// Hands on what each row would cost in subtree i, as its leaves are now.
template <class Add>
void LocalRefineRows::assign_costs(const RefNodes& nodes, int i, const Part& part,
                                   u32 passed, const Add& add) {
  if (part.rows.empty()) return;
  const RefNode& node = nodes[static_cast<std::size_t>(i)];
  if (node.leaf())
    return assign_leaf_costs(job_.params.cost.loss, job_.targets(), node,
                             job_.path_price() * passed, part.rows,
                             job_.sides.targets.y.data(), add);
  const Halves h(*this, node.split, part);
  assign_costs(nodes, node.left, h.left, passed + 1, add);
  assign_costs(nodes, node.right, h.right, passed + 1, add);
}

// So that sums of them depend on no order.
void LocalRefineRows::round_costs(Rows rows) {
  double* y = job_.sides.targets.y.data();
  double largest = 0;
  for (const Row r : rows) largest = std::max(largest, std::fabs(y[r]));
  const Grid grid(largest, rows.size());
  for (const Row r : rows) y[r] = grid(y[r]);
}

LocalRefineRows::Rows LocalRefineRows::mattering(Rows rows) {
  const std::vector<double>& y = job_.sides.targets.y;
  if (mattering_.size() < rows.size()) mattering_.resize(rows.size());
  std::size_t n = 0;
  for (const Row r : rows) {  // without a branch
    mattering_[n] = r;
    n += y[r] != 0 ? 1 : 0;
  }
  return {mattering_.data(), n};
}

RemoteRefineRows::Halves::Halves(RemoteRefineRows& owner, const Split& split,
                                 const Part& part)
    : paths_{{part.path, split, false, 0}, {part.path, split, true, 0}} {
  owner.known_.find_sums(&paths_[0]);
  owner.known_.find_sums(&paths_[1]);
  left = {&paths_[0], &owner.sums(&paths_[0])};
  right = {&paths_[1], &owner.sums(&paths_[1])};
}

const NodeFacts& RemoteRefineRows::sums(const NodePath* path) {
  const NodeFacts* found = known_.find_sums(path);
  if (found == nullptr) known_.fetch();
  return found != nullptr ? *found : *known_.find_sums(path);
}

const NodeFacts& RemoteRefineRows::cells(const NodePath* path) {
  const NodeFacts* found = known_.find(path);
  if (found == nullptr) known_.fetch();
  return found != nullptr ? *found : *known_.find(path);
}

const NodeFacts& RemoteRefineRows::answer(const NodeQuestion& question) {
  const NodeFacts* found = known_.find(question);
  if (found == nullptr) known_.fetch();
  return found != nullptr ? *found : *known_.find(question);
}

NodeView RemoteRefineRows::view(const Part& part, std::span<const double> stats) const {
  NodeView view{{}, stats, job_.targets().total_weight(stats), known_.hash(part.path)};
  view.path = part.path;
  view.elsewhere = static_cast<u32>(part.facts->n);
  return view;
}

NodeView RemoteRefineRows::named_view(const Part& part, std::span<const double> stats) {
  cells(part.path);
  return view(part, stats);
}

double RemoteRefineRows::log_choices(const Part& part, const Split& split) {
  cells(part.path);
  return rows_.log_choices(job_.context, view(part, part.facts->stats), split);
}

void RemoteRefineRows::settle(const NodeView& view, Split& split) {
  cells(view.path);
  std::vector<double> stats(2 * view.stats.size());
  rows_.child_sums(view, split, stats.data());
}

FoundSplit RemoteRefineRows::best_for_sides(const RefNodes& nodes, const RefNode& node,
                                            const Part& part) {
  NodeQuestion question = question_of(part.path, Asked::largest_cost);
  SideQuestion& sides = question.sides;
  sides.loss = job_.params.cost.loss;
  sides.path_price = job_.path_price();
  sides.left = sides.add(nodes, node.left);
  sides.right = sides.add(nodes, node.right);
  known_.find(part.path);  // to settle the split
  sides.largest = answer(question).largest;
  sides.n = part.facts->n;
  sides.only_mattering = job_.only_mattering();
  question.what = Asked::side_cells;
  const NodeFacts& found = answer(question);
  if (found.n_counted < 2) return {};
  const std::vector<double> stats(3);
  NodeView view{{}, stats, static_cast<double>(found.n_counted), {}};
  view.elsewhere = static_cast<u32>(found.n_counted);
  SearchContext& c = job_.context;
  FeatureList features = job_.features;
  c.scratch.given = &found.cells;
  const FoundSplit best =
      job_.sides.finder.find(view, features, {}, c.scratch, c.poller);
  c.scratch.given = nullptr;
  return best;
}

void RemoteRefineRows::look_up(const RefNodes& nodes, int i, const Part& part) {
  want(nodes, i, part.path);
  if (!known_.complete()) known_.fetch();
}

// A price by descriptions takes the codes that a node has.
void RemoteRefineRows::want(const RefNodes& nodes, int i, const NodePath* path) {
  const RefNode& node = nodes[static_cast<std::size_t>(i)];
  if (node.leaf()) return;
  if (job_.params.cost.is_mdl()) known_.find(path);
  const NodePath left{path, node.split, false, 0}, right{path, node.split, true, 0};
  known_.find_sums(&left);
  known_.find_sums(&right);
  want(nodes, node.left, &left);
  want(nodes, node.right, &right);
}

}  // namespace dpdtree
