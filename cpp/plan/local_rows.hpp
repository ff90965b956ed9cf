// Answers from the rows in this process's memory.
#pragma once

#include "plan/node_source.hpp"
#include "plan/search_context.hpp"

namespace dpdtree {

class LocalRows final : public NodeSource {
 public:
  LocalRows(const Problem& problem, const Finders& finders)
      : problem_(problem), finders_(finders) {}

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

 private:
  const Problem& problem_;
  const Finders& finders_;
};

// The same answers from the path of a node alone: its rows are found anew from those of
// the root for every question. Slow; it shows in tests that a path is all it takes.
class ReplayedRows final : public NodeSource {
 public:
  ReplayedRows(const Problem& problem, const Finders& finders, const RowBuffer& all)
      : problem_(problem), local_(problem, finders), all_(all) {}

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

 private:
  // The node with rows of its own.
  struct Found {
    NodeView view;
    RowBuffer rows;
  };
  Found find(const NodeView& node) const;

  const Problem& problem_;
  LocalRows local_;
  const RowBuffer& all_;
};

}  // namespace dpdtree
