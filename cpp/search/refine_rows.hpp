// Where the rows of a tree under refinement are: in memory, or elsewhere. Both know a
// node of the tree as a part of the rows, and answer the same questions about it.
#pragma once

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "plan/remote_rows.hpp"
#include "plan/side_costs.hpp"
#include "search/refine.hpp"

namespace dpdtree {

struct RefNode : CostNode {
  // As of the last evaluation: the price of the split and the value (and the statistics
  // of all nodes, not only of leaves).
  double price = 0;
  Value value;
  bool settled = false;  // the last visit changed nothing from here down
};
using RefNodes = std::vector<RefNode>;

// What both need: the worker, the search for splits with fixed sides, the costs.
struct RefineJob {
  SearchContext& context;
  const SideSearch& sides;
  const RefineParams& params;
  FeatureList features;

  const Targets& targets() const { return context.problem.targets; }
  double path_price() const {
    return params.cost.complexity == Complexity::path_length
               ? params.cost.penalty_rate()
               : 0;
  }
  // Rows that cost the same on both sides do not matter, unless sizes are limited or
  // thresholds counted.
  bool only_mattering() const {
    return context.limits.min_samples_leaf <= 1 && !params.cost.is_mdl();
  }
};

class LocalRefineRows {
 public:
  using Rows = std::span<const Row>;
  struct Part {
    Rows rows;
    const NodePath* path = nullptr;
  };

  // Both sides of a split, until this goes out of scope.
  class Halves {
   public:
    Halves(LocalRefineRows& owner, const Split& split, const Part& part);
    ~Halves() { --owner_.used_; }
    Halves(const Halves&) = delete;
    Halves& operator=(const Halves&) = delete;

    Part left, right;

   private:
    LocalRefineRows& owner_;
    NodePath paths_[2];
  };

  explicit LocalRefineRows(const RefineJob& job) : job_(job) {}

  static Part root(const NodeView& node) { return {node.rows, node.path}; }
  static std::size_t size(const Part& part) { return part.rows.size(); }
  std::vector<double> stats(const Part& part) const;
  // Of both sides, from those of the whole.
  std::pair<std::vector<double>, std::vector<double>> stats_of(
      const Halves& halves, const std::vector<double>& whole) const;
  NodeView view(const Part& part, std::span<const double> stats) const;
  // With a hash, by which the search may know it.
  NodeView named_view(const Part& part, std::span<const double> stats) const;
  double log_choices(const Part& part, const Split& split);
  void settle(const NodeView& view, Split& split) const;
  // The best split of a node whose subtrees stay.
  FoundSplit best_for_sides(const RefNodes& nodes, const RefNode& node,
                            const Part& part);
  // Nothing needs to be fetched.
  static void look_up(const RefNodes&, int, const Part&) {}

 private:
  template <class Add>
  void assign_costs(const RefNodes& nodes, int i, const Part& part, u32 passed,
                    const Add& add);
  void round_costs(Rows rows);
  Rows mattering(Rows rows);

  const RefineJob& job_;
  std::deque<RowBuffer> buffers_;  // for children, one per split on the way down
  std::size_t used_ = 0;
  std::vector<Row> mattering_;
};

class RemoteRefineRows {
 public:
  struct Part {
    const NodePath* path = nullptr;
    const NodeFacts* facts = nullptr;
  };

  class Halves {
   public:
    Halves(RemoteRefineRows& owner, const Split& split, const Part& part);
    Halves(const Halves&) = delete;
    Halves& operator=(const Halves&) = delete;

    Part left, right;

   private:
    NodePath paths_[2];
  };

  RemoteRefineRows(const RefineJob& job, const RemoteRows& rows)
      : job_(job), rows_(rows), known_(rows.known()) {}

  Part root(const NodeView& node) { return {node.path, &sums(node.path)}; }
  static std::size_t size(const Part& part) { return part.facts->n; }
  static std::vector<double> stats(const Part& part) { return part.facts->stats; }
  static std::pair<std::vector<double>, std::vector<double>> stats_of(
      const Halves& halves, const std::vector<double>&) {
    return {halves.left.facts->stats, halves.right.facts->stats};
  }
  NodeView view(const Part& part, std::span<const double> stats) const;
  // Its cells are there.
  NodeView named_view(const Part& part, std::span<const double> stats);
  double log_choices(const Part& part, const Split& split);
  void settle(const NodeView& view, Split& split);
  FoundSplit best_for_sides(const RefNodes& nodes, const RefNode& node,
                            const Part& part);
  // Fetches all that the values of a subtree depend on, in one round.
  void look_up(const RefNodes& nodes, int i, const Part& part);

 private:
  const NodeFacts& sums(const NodePath* path);
  const NodeFacts& cells(const NodePath* path);
  const NodeFacts& answer(const NodeQuestion& question);
  void want(const RefNodes& nodes, int i, const NodePath* path);

  const RefineJob& job_;
  const RemoteRows& rows_;
  KnownNodes& known_;
};

}  // namespace dpdtree
