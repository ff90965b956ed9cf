// Answers from what is known of nodes whose rows are elsewhere. A node that is not
// known yet has no split, see known_nodes.hpp.
#pragma once

#include "plan/known_nodes.hpp"
#include "plan/node_source.hpp"
#include "plan/search_context.hpp"

namespace dpdtree {

class RemoteRows final : public NodeSource {
 public:
  RemoteRows(const Problem& problem, const Finders& finders, KnownNodes& known)
      : problem_(problem), finders_(finders), known_(known) {}

  FoundSplit best_split(SearchContext& worker, const NodeView& node,
                        FeatureList& features, SearchTarget target,
                        const SplitRequest& request) const override;
  Children divide(SearchContext& worker, const NodeView& node, Split& split,
                  const ChildRoom& room) const override;
  Children child_sums(const NodeView& node, Split& split, double* stats) const override;
  double log_choices(SearchContext& worker, const NodeView& node,
                     const Split& split) const override;
  bool sees_missing(const NodeView& node, u32 feature) const override;
  void place_unseen(const NodeView& node, const NodeView& all,
                    Split& split) const override;
  void place_unseen(const Sample& sample, const NodeView& all,
                    Split& split) const override;
  Sample sample(const SearchContext& worker, const NodeView& node, std::size_t most,
                const std::vector<u32>& features) const override;
  KnownLooks* looks() const override { return &known_.looks; }

  // The root of all rows, or of a part of them (its path has a number). Throws
  // Unanswered if it is not known; `stats` has room for its statistics.
  NodeView root(const NodePath* path, double* stats) const;
  // The codes next to the cut that rows of the node have: one above the last left, and
  // the first right.
  std::pair<u32, u32> next_to_cut(const NodeView& node, const Split& split) const;
  KnownNodes& known() const { return known_; }

 private:
  const NodeFacts& facts(const NodeView& node) const;
  // Rows, too, of both children.
  Children sums(const NodeView& node, Split& split, double* stats) const;
  void settle(const CellTable& cells, Split& split) const;

  const Problem& problem_;
  const Finders& finders_;
  KnownNodes& known_;
};

}  // namespace dpdtree
