#include "plan/known_nodes.hpp"

#include <algorithm>
#include <utility>

namespace dpdtree {
namespace {

// Nodes of a request: what a partition answers stays within some megabytes.
constexpr std::size_t kMostQuestions = 512;

NodePath sibling_of(const NodePath& path) {
  return {path.parent, path.split, !path.right};
}

bool is_child(const NodePath* path) { return path != nullptr && path->part == 0; }

}  // namespace

const NodeFacts* KnownNodes::find(const NodePath* path, const Hash128& hash) {
  if (const auto at = facts_.find(hash); at != facts_.end()) return &at->second;
  if (is_child(path))
    if (const NodeFacts* found = derive(*path, hash)) return found;
  complete_ = false;
  want(path, hash);
  return nullptr;
}

const NodeFacts* KnownNodes::find_sums(const NodePath* path) {
  const Hash128 own = hash(path);
  if (const auto at = sums_.find(own); at != sums_.end()) return &at->second;
  if (const auto at = facts_.find(own); at != facts_.end()) return &at->second;
  complete_ = false;
  wanted_.push_back({question_of(path, Asked::sums), own, own, {}});
  return nullptr;
}

const NodeFacts* KnownNodes::find(const NodeQuestion& question) {
  std::string key = write_questions({&question, 1}, columns_);
  if (const auto at = answers_.find(key); at != answers_.end()) return &at->second;
  complete_ = false;
  const auto same = [&](const Wanted& w) { return w.key == key; };
  if (std::none_of(wanted_.begin(), wanted_.end(), same))
    wanted_.push_back({question, {}, {}, std::move(key)});
  return nullptr;
}

std::optional<DrawnRows> KnownNodes::take_sample(const NodeQuestion& question) {
  if (find(question) == nullptr) return std::nullopt;
  const auto at = answers_.find(write_questions({&question, 1}, columns_));
  DrawnRows drawn = std::move(at->second.drawn);
  answers_.erase(at);
  return drawn;
}

void KnownNodes::fetch() {
  if (!wanted_.empty()) take(ask(request()));
  complete_ = true;
}

// What the sibling leaves of the parent.
const NodeFacts* KnownNodes::derive(const NodePath& path, const Hash128& own_hash) {
  const NodePath other = sibling_of(path);
  const auto parent = facts_.find(hash(path.parent)),
             sibling = facts_.find(hash(&other));
  const auto range = ranges_.find(own_hash);
  if (parent == facts_.end() || sibling == facts_.end()) return nullptr;
  if (numbers_ && range == ranges_.end()) return nullptr;
  NodeFacts own = parent->second;
  const NodeFacts& taken = sibling->second;
  own.n -= taken.n;
  for (std::size_t i = 0; i < own.stats.size(); ++i) own.stats[i] -= taken.stats[i];
  for (std::size_t k = 0; k < own.parts.size(); ++k) {
    own.parts[k].n -= taken.parts[k].n;
    own.parts[k].weight -= taken.parts[k].weight;
  }
  own.cells -= taken.cells;
  if (numbers_) own.range = range->second;
  return &facts_.emplace(own_hash, std::move(own)).first->second;
}

NodePath KnownNodes::smaller_child(const NodePath& path,
                                   const NodeFacts& parent) const {
  const u32 f = path.split.feature;
  u64 n_left = 0;
  visit_side(path.split.left_codes(columns_[f]), [&](auto is_left) {
    for (u32 c = 0; c < columns_[f].n_codes(); ++c)
      if (is_left(c)) n_left += parent.cells.n(f, c);
  });
  return {path.parent, path.split, 2 * n_left > parent.n};
}

void KnownNodes::want(const NodePath* path, const Hash128& own) {
  if (wanted_.size() >= kMostQuestions) return;
  Wanted wanted{{}, own, own, {}};
  NodePath asked;
  if (is_child(path)) {
    asked = *path;
    const auto parent = facts_.find(hash(path->parent));
    if (parent != facts_.end()) asked = smaller_child(*path, parent->second);
    if (facts_.contains(hash(&asked))) asked = *path;
    const NodePath other = sibling_of(asked);
    wanted.node = hash(&asked);
    wanted.sibling = hash(&other);
    path = &asked;
  }
  if (!is_wanted_.try_emplace(wanted.node, true).second) return;
  wanted.question = question_of(path, Asked::cells);
  wanted_.push_back(std::move(wanted));
}

std::string KnownNodes::request() {
  std::vector<NodeQuestion> questions;
  for (const Wanted& one : wanted_) questions.push_back(one.question);
  return write_questions(questions, columns_);
}

void KnownNodes::take(std::string_view answer) {
  std::vector<NodeFacts> found = read_answer(answer, layouts_);
  if (found.size() != wanted_.size())
    throw FormatError("partitions answer other questions than were asked");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Wanted& asked = wanted_[i];
    if (found[i].what != asked.question.what)
      throw FormatError("partitions answer other questions than were asked");
    if (!asked.key.empty()) {
      answers_[asked.key] = std::move(found[i]);
      continue;
    }
    if (asked.question.what == Asked::sums) {
      sums_[asked.node] = std::move(found[i]);
      continue;
    }
    ranges_[asked.sibling] = found[i].sibling;
    ranges_[asked.node] = found[i].range;
    facts_[asked.node] = std::move(found[i]);
  }
  wanted_.clear();
  is_wanted_.clear();
}

}  // namespace dpdtree
