// What is known of nodes whose rows are elsewhere, and what is to be asked next. A
// search runs as far as answers reach and takes what it lacks for nodes without splits;
// what it asked meanwhile leaves in one request, and the search runs again from the
// start. Its last run lacks nothing, so that it is the one search that all answers
// would have led to at once. Refinement, whose questions follow from one another, asks
// at once instead.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/node_question.hpp"
#include "plan/node_source.hpp"

namespace dpdtree {

// Thrown where a run cannot go on without an answer.
struct Unanswered : std::exception {
  const char* what() const noexcept override { return "a node is not known yet"; }
};

class KnownNodes {
 public:
  KnownNodes(const std::vector<Column>& columns, const Targets& targets)
      : columns_(columns),
        layouts_(columns, targets),
        numbers_(!targets.classification()) {}

  // Of a node with cells, by its path (null: of all rows) and the hash of that; null
  // if it has to be asked for.
  const NodeFacts* find(const NodePath* path, const Hash128& hash);
  const NodeFacts* find(const NodePath* path) { return find(path, hash(path)); }
  // Its statistics alone.
  const NodeFacts* find_sums(const NodePath* path);
  // What else can be asked.
  const NodeFacts* find(const NodeQuestion& question);
  // Samples are large: they are handed out once. The caller keeps what comes of them.
  std::optional<DrawnRows> take_sample(const NodeQuestion& question);

  // Has this run lacked something?
  bool complete() const { return complete_; }
  void begin_run() { complete_ = true; }
  // Asks for what is lacking. The run must have been complete before.
  void fetch();
  using Ask = std::function<std::string(const std::string&)>;
  Ask ask;  // for the above; a request in, the answer of all partitions out

  // What was lacking, and the answer to it.
  std::string request();
  void take(std::string_view answer);

  // Of a set of rows, by the splits that lead to it.
  Hash128 hash(const NodePath* path) const { return node_hash(path, columns_); }

  struct ByHash {
    std::size_t operator()(const Hash128& h) const { return h.lo; }
  };
  template <class T>
  using Map = std::unordered_map<Hash128, T, ByHash>;
  // The best splits of nodes, for the next runs.
  Map<FoundSplit> splits;
  KnownLooks looks;

 private:
  struct Wanted {
    NodeQuestion question;
    Hash128 node, sibling;
    std::string key;  // of neither sums nor cells
  };

  const NodeFacts* derive(const NodePath& path, const Hash128& hash);
  void want(const NodePath* path, const Hash128& hash);
  // Of two children the smaller one is asked for, whichever is wanted.
  NodePath smaller_child(const NodePath& path, const NodeFacts& parent) const;

  const std::vector<Column>& columns_;
  AnswerLayouts layouts_;
  bool numbers_;
  Map<NodeFacts> facts_;
  Map<NodeFacts> sums_;
  Map<TargetRange> ranges_;
  std::unordered_map<std::string, NodeFacts> answers_;  // by the question
  std::vector<Wanted> wanted_;
  Map<bool> is_wanted_;
  bool complete_ = true;
};

}  // namespace dpdtree
