// The seam between a search and its training rows: all that candidate generators, the
// dynamic program, CART and the look-ahead ask, one node at a time. A node is known by
// its path of splits; where its rows are is the business of whoever answers.
//
// Local rows answer (local_rows.hpp), or rows that are elsewhere (remote_rows.hpp).
// Past the seam, and bound to local rows: leaf losses that are no function of
// statistics (absolute error, quantiles) and proofs. Refinement and the statistics of
// the finished tree have seams of their own.
#pragma once

#include <unordered_map>
#include <vector>

#include "node/partition.hpp"
#include "plan/sample.hpp"
#include "split/finder.hpp"

namespace dpdtree {

struct SearchContext;

// What a split is searched for: the criterion that proposes splits, a second criterion
// for more variety, or the loss itself (for levels that are solved exhaustively).
enum class SearchTarget : u8 { criterion, second, loss };

// What looks ahead have found, by everything that they depend on.
struct KnownLooks {
  struct ByHash {
    std::size_t operator()(const Hash128& h) const { return h.lo; }
  };
  std::unordered_map<Hash128, std::vector<Split>, ByHash> proposals;
  std::unordered_map<Hash128, std::vector<double>, ByHash> estimates;
};

// `worker` lends its memory.
class NodeSource {
 public:
  virtual ~NodeSource() = default;

  // The best split of the node, and what else is requested. Features found constant are
  // dropped from the list.
  virtual FoundSplit best_split(SearchContext& worker, const NodeView& node,
                                FeatureList& features, SearchTarget target,
                                const SplitRequest& request) const = 0;

  // Both children of a split, which is settled (see split_node). They have names.
  virtual Children divide(SearchContext& worker, const NodeView& node, Split& split,
                          const ChildRoom& room) const = 0;

  // The statistics and weights of both children only.
  virtual Children child_sums(const NodeView& node, Split& split,
                              double* stats) const = 0;

  // ln T: among how many splits of its feature the split was chosen.
  virtual double log_choices(SearchContext& worker, const NodeView& node,
                             const Split& split) const = 0;

  // Has a row of the node no value of the feature?
  virtual bool sees_missing(const NodeView& node, u32 feature) const = 0;

  // Sides for the categories that occur in `all` but not in `node`.
  virtual void place_unseen(const NodeView& node, const NodeView& all,
                            Split& split) const = 0;

  // The same for those that occur in `all` but not in a sample of it.
  virtual void place_unseen(const Sample& sample, const NodeView& all,
                            Split& split) const = 0;

  // At most so many of its rows, with codes of these features. None, if they are not
  // known yet.
  virtual Sample sample(const SearchContext& worker, const NodeView& node,
                        std::size_t most, const std::vector<u32>& features) const = 0;

  // Where a search runs again and again; else null.
  virtual KnownLooks* looks() const { return nullptr; }
};

}  // namespace dpdtree
