// Trees grown leaf by leaf: always the open leaf whose best split gains most. While one
// is split, idle threads split those that will probably be next; the tree is the same.
#pragma once

#include <memory>
#include <span>

#include "boost/expansion.hpp"
#include "boost/grown_tree.hpp"
#include "search/frontier.hpp"

namespace dpdtree::boosting {

class LeafwiseGrower {
 public:
  struct Options {
    u32 max_leaves = 0;       // 0: no limit
    bool keep_root = false;   // its rows and its histogram
    double strong_share = 2;  // nodes above this share compare splits
  };

  // `spaces`: room for the root's rows each; the first one holds them.
  LeafwiseGrower(NodeEvaluator& evaluator, std::span<const RowSet> spaces,
                 Options options)
      : evaluator_(&evaluator), spaces_(spaces), options_(options) {}

  // Takes the root's histogram over, unless it is to be kept.
  GrownTree grow(Child root);

  // Starts with a split that is already carried out.
  GrownTree grow_from(const NodeContext& root, Expansion first);

 private:
  using Histogram = Bin*;  // null: to be built anew, or split ahead
  using Open = Frontier<Histogram>::Open;

  GrownTree grow_open();
  Expansion split_node(const Open& open);
  Expansion split_with_next(const Open& open);
  ExpandJob job_of(const Open& open, bool search_children) const;
  Expansion strongest(const Open& open);
  void carry_out(u32 node, Expansion& e);
  u32 add(Child& child);
  bool last_split() const { return n_leaves_ + 1 == options_.max_leaves; }
  bool few_splits_left() const {
    return options_.max_leaves != 0 && n_leaves_ + 2 >= options_.max_leaves;
  }
  bool comparing(const NodeContext& node) const;
  // Splits above, moved there from a node's children.
  std::vector<FoundSplit> moved_up(const NodeContext& node, const FoundSplit& greedy,
                                   const Bin* histogram, const Expansion& e) const;

  // With rows elsewhere (leafwise_elsewhere.cpp): a node that could be split now, and
  // where its expansion goes.
  struct Waiting {
    const NodeContext* node = nullptr;
    RowSet rows;
    Bin* histogram = nullptr;
    Bin** held = nullptr;  // who has the histogram so far, or null
    FoundSplit split;
    std::shared_ptr<Expansion>* to = nullptr;
    double rank = 0;       // the least gain from the tree to here
    bool kept = false;     // its histogram
    bool compare = false;  // its split with those of its children

    ExpandJob job() const { return {node, rows, histogram, split, rows, {true, kept}}; }
  };
  Expansion split_elsewhere(const Open& open);
  std::vector<Waiting> waiting();
  Waiting waiting_node(const Open& open, Bin** held);
  void add_below(Expansion& e, double rank, std::vector<Waiting>& found,
                 std::vector<double>& ranks);
  static void keep(const std::vector<Waiting>& nodes, std::vector<Expansion> found);
  void compare_all(const std::vector<Waiting>& nodes);
  // The same stretch of the next space that holds neither `rows` nor `taken`.
  RowSet room_for(const RowSet& rows, const RowSet* taken) const;
  std::size_t space_of(const RowSet& rows) const;

  NodeEvaluator* evaluator_;
  std::span<const RowSet> spaces_;
  Options options_;
  GrownTree tree_;
  Frontier<Histogram> open_;
  std::vector<std::shared_ptr<Expansion>> ahead_;  // per node: null, or split already
  u32 n_leaves_ = 1;
};

}  // namespace dpdtree::boosting
