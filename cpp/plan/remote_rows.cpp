#include "plan/remote_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/rng.hpp"
#include "node/constraints.hpp"
#include "node/unseen_categories.hpp"
#include "plan/search_context.hpp"
#include "split/thresholds.hpp"

namespace dpdtree {
namespace {

// The name of a search among those of a node.
Hash128 named(Hash128 node, SearchTarget target, bool error_bound) {
  node.lo ^= mix64(static_cast<u64>(target) << 1 | (error_bound ? 1 : 0));
  return node;
}

double weight_of_code(const CellTable& cells, const Targets& t, u32 feature, u32 code) {
  std::vector<double> stats(t.stats_width(), 0.0);
  cells.add_to(feature, code, stats.data());
  return t.total_weight(stats);
}

}  // namespace

const NodeFacts& RemoteRows::facts(const NodeView& node) const {
  const NodeFacts* known = known_.find(node.path, node.hash);
  if (known == nullptr) throw Unanswered();
  return *known;
}

NodeView RemoteRows::root(const NodePath* path, double* stats) const {
  const NodeFacts* known = known_.find(path);
  if (known == nullptr) throw Unanswered();
  std::copy(known->stats.begin(), known->stats.end(), stats);
  const std::span<const double> sums(stats, known->stats.size());
  NodeView view{{}, sums, problem_.targets.total_weight(sums), known_.hash(path)};
  view.path = path;
  view.elsewhere = static_cast<u32>(known->n);
  return view;
}

FoundSplit RemoteRows::best_split(SearchContext& worker, const NodeView& node,
                                  FeatureList& features, SearchTarget target,
                                  const SplitRequest& request) const {
  const NodeFacts* known = known_.find(node.path, node.hash);
  if (known == nullptr) return {};
  const Targets& t = problem_.targets;
  if (!t.classification() && t.seems_pure(node.stats) && known->range.one_value())
    return {};
  // Prices of thresholds may change between two runs.
  const bool keep = target != SearchTarget::loss && request.visit_all == nullptr &&
                    request.feature_scores == nullptr;
  const Hash128 key = named(node.key(), target, request.error_bound);
  if (const auto at = known_.splits.find(key); keep && at != known_.splits.end())
    return at->second;
  worker.scratch.given = &known->cells;
  const FoundSplit found =
      finders_[target].find(node, features, request, worker.scratch, worker.poller);
  worker.scratch.given = nullptr;
  if (keep && !worker.poller.stopped()) known_.splits.emplace(key, found);
  return found;
}

// Where rows without a value go: to the heavier side of those with one.
void RemoteRows::settle(const CellTable& cells, Split& split) const {
  const Column& column = problem_.columns[split.feature];
  if (split.missing != Missing::heavier || column.n_missing == 0) return;
  double left = 0, right = 0;
  visit_side(split.left_codes(column), [&](auto is_left) {
    for (u32 c = 0; c < column.n_values; ++c)
      (is_left(c) ? left : right) +=
          weight_of_code(cells, problem_.targets, split.feature, c);
  });
  split.missing = left > right ? Missing::left : Missing::right;
}

Children RemoteRows::sums(const NodeView& node, Split& split, double* stats) const {
  const CellTable& cells = facts(node).cells;
  const Targets& t = problem_.targets;
  const Column& column = problem_.columns[split.feature];
  settle(cells, split);
  const std::size_t width = t.stats_width();
  std::fill(stats, stats + 2 * width, 0.0);
  u32 n[2] = {0, 0};
  visit_side(split.left_codes(column), [&](auto is_left) {
    for (u32 c = 0; c < column.n_codes(); ++c) {
      const std::size_t side = is_left(c) ? 0 : 1;
      n[side] += cells.n(split.feature, c);
      cells.add_to(split.feature, c, stats + side * width);
    }
  });
  const auto view = [&](std::size_t side) {
    const std::span<const double> own(stats + side * width, width);
    NodeView out{{}, own, t.total_weight(own), {}};
    out.elsewhere = n[side];
    return out;
  };
  Children c{view(0), view(1)};
  if (split.missing == Missing::heavier)
    split.missing = c.left.weight > c.right.weight ? Missing::left : Missing::right;
  if (node.constraints) constrain_children(node, split, c.left, c.right);
  return c;
}

Children RemoteRows::divide(SearchContext&, const NodeView& node, Split& split,
                            const ChildRoom& room) const {
  Children c = sums(node, split, room.stats);
  room.paths[0] = {node.path, split, false};
  room.paths[1] = {node.path, split, true};
  c.left.path = &room.paths[0];
  c.right.path = &room.paths[1];
  c.left.hash = known_.hash(c.left.path);
  c.right.hash = known_.hash(c.right.path);
  return c;
}

Children RemoteRows::child_sums(const NodeView& node, Split& split,
                                double* stats) const {
  Children c = sums(node, split, stats);
  c.left.elsewhere = c.right.elsewhere = 0;  // as rows in memory have it
  return c;
}

double RemoteRows::log_choices(SearchContext&, const NodeView& node,
                               const Split& split) const {
  const CellTable& cells = facts(node).cells;
  const Column& column = problem_.columns[split.feature];
  u32 values = 0, left = 0;
  for (u32 c = 0; c < column.n_codes(); ++c) {
    if (cells.n(split.feature, c) == 0) continue;
    ++values;
    if (split.categories)
      left += c == column.missing_code() ? split.missing == Missing::left
                                         : split.categories->contains(c);
  }
  return split.categories ? log_category_sets(values, left) : log_thresholds(values);
}

bool RemoteRows::sees_missing(const NodeView& node, u32 feature) const {
  const Column& column = problem_.columns[feature];
  return column.n_missing > 0 &&
         facts(node).cells.n(feature, column.missing_code()) > 0;
}

void RemoteRows::place_unseen(const NodeView& node, const NodeView& all,
                              Split& split) const {
  const Column& column = problem_.columns[split.feature];
  if (!column.categorical) return;
  const Targets& t = problem_.targets;
  const CellTable &own = facts(node).cells, &others = facts(all).cells;
  SeenCategories seen(column, t);
  visit_side(split.left_codes(column), [&](auto is_left) {
    for (u32 c = 0; c < column.n_codes(); ++c) {
      if (own.n(split.feature, c) > 0) seen.present[c] = 1;
      own.add_to(split.feature, c, is_left(c) ? seen.left.data() : seen.right.data());
      others.add_to(split.feature, c, seen.sums.data() + c * t.stats_width());
      others.add_to(split.feature, c, seen.all.data());
    }
  });
  if (!seen.all_present()) place_absent(column, t, seen, split);
}

void RemoteRows::place_unseen(const Sample& sample, const NodeView& all,
                              Split& split) const {
  const Column& column = problem_.columns[split.feature];
  if (!column.categorical) return;
  const Targets &t = problem_.targets, &own = sample.elsewhere->targets;
  const CellTable& others = facts(all).cells;
  SeenCategories seen(column, t);
  visit_codes(sample.elsewhere->columns[split.feature].code, [&](const auto* code) {
    visit_side(split.left_codes(column), [&](auto is_left) {
      for (const Row r : sample.rows) {
        seen.present[code[r]] = 1;
        own.add_row(r, is_left(code[r]) ? seen.left.data() : seen.right.data());
      }
    });
  });
  for (u32 c = 0; c < column.n_codes(); ++c) {
    others.add_to(split.feature, c, seen.sums.data() + c * t.stats_width());
    others.add_to(split.feature, c, seen.all.data());
  }
  if (!seen.all_present()) place_absent(column, t, seen, split);
}

Sample RemoteRows::sample(const SearchContext& worker, const NodeView& node,
                          std::size_t most, const std::vector<u32>& features) const {
  const NodeFacts* known = known_.find(node.path, node.hash);
  if (known == nullptr) return {};
  const Targets& t = problem_.targets;
  NodeQuestion question = question_of(node.path, Asked::sample);
  const Draw draw = draw_of(t, node, most, worker.limits.min_samples_leaf);
  question.sample = {features, draw, known->parts};
  const std::optional<DrawnRows> drawn = known_.take_sample(question);
  if (!drawn) return {};
  auto own =
      std::make_shared<const SampledRows>(drawn->with(problem_.columns, t, features));
  std::vector<Row> rows(drawn->n());
  std::iota(rows.begin(), rows.end(), Row{0});
  Sample out = sample_of(own->targets, rows, draw);
  out.elsewhere = std::move(own);
  return out;
}

std::pair<u32, u32> RemoteRows::next_to_cut(const NodeView& node,
                                            const Split& split) const {
  const CellTable& cells = facts(node).cells;
  const Column& column = problem_.columns[split.feature];
  u32 last = 0, next = column.n_values;
  for (u32 c = 0; c < column.n_values; ++c) {
    if (cells.n(split.feature, c) == 0) continue;
    if (c < split.cut)
      last = c + 1;
    else
      next = std::min(next, c);
  }
  return {last, next};
}

}  // namespace dpdtree
