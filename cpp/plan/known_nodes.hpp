// What is known of nodes whose rows are elsewhere, and what is to be asked next. A
// search runs as far as answers reach and takes what it lacks for nodes without splits;
// what it asked meanwhile leaves in one request, and the search runs again from the
// start. Its last run lacks nothing, so that it is the one search that all answers
// would have led to at once.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/node_question.hpp"

namespace dpdtree {

// Thrown where a run cannot go on without an answer.
struct Unanswered : std::exception {
  const char* what() const noexcept override { return "a node is not known yet"; }
};

class KnownNodes {
 public:
  KnownNodes(const std::vector<Column>& columns, const Targets& targets)
      : columns_(columns),
        layout_(std::make_shared<const CellLayout>(columns, targets)),
        numbers_(!targets.classification()) {}

  // Of a node with cells, by its path (null: of all rows) and the hash of that; null
  // if it has to be asked for.
  const NodeFacts* find(const NodePath* path, const Hash128& hash);
  const NodeFacts* find(const NodePath* path) { return find(path, hash(path)); }
  // Its statistics alone.
  const NodeFacts* find_sums(const NodePath* path);

  // Has this run lacked something?
  bool complete() const { return complete_; }
  void begin_run() { complete_ = true; }

  // What was lacking, and the answer to it.
  std::string request();
  void take(std::string_view answer);

  // Of a set of rows, by the splits that lead to it.
  Hash128 hash(const NodePath* path) const { return node_hash(path, columns_); }

  struct ByHash {
    std::size_t operator()(const Hash128& h) const { return h.lo; }
  };
  // The best splits of nodes, for the next runs.
  std::unordered_map<Hash128, FoundSplit, ByHash> splits;

 private:
  template <class T>
  using Map = std::unordered_map<Hash128, T, ByHash>;
  struct Wanted {
    NodeQuestion question;
    Hash128 node, sibling;
  };

  const NodeFacts* derive(const NodePath& path, const Hash128& hash);
  void want(const NodePath* path, const Hash128& hash);
  // Of two children the smaller one is asked for, whichever is wanted.
  NodePath smaller_child(const NodePath& path, const NodeFacts& parent) const;

  const std::vector<Column>& columns_;
  std::shared_ptr<const CellLayout> layout_;
  bool numbers_;
  Map<NodeFacts> facts_;
  Map<NodeFacts> sums_;
  Map<TargetRange> ranges_;
  std::vector<Wanted> wanted_;
  Map<bool> is_wanted_;
  bool complete_ = true;
};

}  // namespace dpdtree
