#include "plan/node_question.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/rng.hpp"

namespace dpdtree {
namespace {

constexpr const char* kWhat = "a request for nodes";
constexpr const char* kAnswer = "an answer about nodes";

bool missing_left(const Split& split) { return split.missing == Missing::left; }

void write_step(ByteWriter& out, const PathStep& step,
                const std::vector<Column>& columns) {
  const Split& s = step.split;
  const u64 flags = (missing_left(s) ? 1u : 0u) | (step.right ? 2u : 0u) |
                    (s.categories != nullptr ? 4u : 0u);
  out.number(s.feature);
  out.number(s.cut);
  out.number(flags);
  if (s.categories == nullptr) return;
  std::vector<u8> in(columns[s.feature].n_values);
  for (u32 c = 0; c < in.size(); ++c) in[c] = s.categories->contains(c) ? 1 : 0;
  out.array(in);
}

PathStep read_step(ByteReader& in, const std::vector<Column>& columns) {
  PathStep step;
  const u64 feature = in.number();
  if (feature >= columns.size()) throw FormatError("a path has an unknown feature");
  const Column& column = columns[feature];
  step.split.feature = static_cast<u32>(feature);
  step.split.cut = static_cast<u32>(in.number());
  const u64 flags = in.number();
  step.split.missing = (flags & 1) != 0 ? Missing::left : Missing::right;
  step.right = (flags & 2) != 0;
  if ((flags & 4) == 0) return step;
  std::vector<u8> left;
  in.array(left, column.n_values);
  auto set = std::make_shared<CategorySet>(column.n_values + 1);
  for (u32 c = 0; c < column.n_values; ++c)
    if (left[c] != 0) set->insert(c);
  step.split.categories = std::move(set);
  return step;
}

// The codes of one feature that a path leaves.
struct LeftOver {
  u32 feature = 0;
  u32 begin = 0, end = 0;
  bool missing = true;
  std::vector<u8> categories;  // one each; empty: an interval
};

LeftOver everything(u32 feature, const Column& column) {
  LeftOver out{feature, 0, column.n_values, column.n_missing > 0, {}};
  if (column.categorical) out.categories.assign(column.n_values, 1);
  return out;
}

void narrow(LeftOver& some, const Split& split, bool right) {
  some.missing &= missing_left(split) != right;
  for (u32 c = 0; c < some.categories.size(); ++c)
    some.categories[c] &= split.categories->contains(c) != right ? 1 : 0;
  if (right)
    some.begin = std::max(some.begin, split.cut);
  else if (some.categories.empty())
    some.end = std::min(some.end, split.cut);
}

void write_range(ByteWriter& out, const TargetRange& range) {
  out.array(range.least);
  out.array(range.largest);
}

TargetRange read_range(ByteReader& in, std::size_t n) {
  TargetRange range;
  in.array(range.least, n);
  in.array(range.largest, n);
  return range;
}

// Numbers in, numbers out.
struct Shape {
  u64 n_cells = 0, count_width = 0, sum_width = 0, stats_width = 0, n_ranges = 0;
  bool operator==(const Shape&) const = default;
};

Shape shape_of(const CellLayout& l, std::span<const NodeFacts> facts) {
  return {l.first.back(), l.count_width, l.sum_width, l.stats_width,
          facts.empty() ? 0 : facts[0].range.least.size()};
}

Shape read_shape(ByteReader& in) {
  Shape s;
  for (u64* n : {&s.n_cells, &s.count_width, &s.sum_width, &s.stats_width, &s.n_ranges})
    *n = in.number();
  return s;
}

// Enough of a layout to add tables up.
std::shared_ptr<const CellLayout> bare_layout(const Shape& s) {
  auto layout = std::make_shared<CellLayout>(std::vector<Column>{}, Targets{});
  layout->first = {0, s.n_cells};
  layout->count_width = s.count_width;
  layout->sum_width = s.sum_width;
  layout->stats_width = s.stats_width;
  return layout;
}

std::vector<NodeFacts> read_facts(ByteReader& in, const Shape& shape,
                                  const std::shared_ptr<const CellLayout>& layout) {
  std::vector<NodeFacts> facts(in.count());
  for (NodeFacts& f : facts) {
    f.n = in.number();
    f.has_cells = in.number() != 0;
    in.array(f.stats, shape.stats_width);
    f.range = read_range(in, shape.n_ranges);
    f.sibling = read_range(in, shape.n_ranges);
    if (f.has_cells) f.cells = CellTable::read(in, layout);
  }
  return facts;
}

}  // namespace

NodeQuestion question_of(const NodePath* path, bool cells) {
  NodeQuestion q;
  q.cells = cells;
  for (; path != nullptr; path = path->parent) {
    if (path->part > 0)
      q.part = path->part;
    else
      q.steps.push_back({path->split, path->right});
  }
  std::reverse(q.steps.begin(), q.steps.end());
  return q;
}

Hash128 node_hash(const NodePath* path, const std::vector<Column>& columns) {
  std::vector<LeftOver> narrowed;
  Hash128 hash;
  for (; path != nullptr; path = path->parent) {
    if (path->part > 0) {
      const u64 word = mix64(path->part);
      hash += {mix64(2 * word), mix64(2 * word + 1)};
      continue;
    }
    const u32 f = path->split.feature;
    auto at = std::find_if(narrowed.begin(), narrowed.end(),
                           [&](const LeftOver& one) { return one.feature == f; });
    if (at == narrowed.end()) at = narrowed.insert(at, everything(f, columns[f]));
    narrow(*at, path->split, path->right);
  }
  for (const LeftOver& some : narrowed) {
    u64 word = mix64(mix64(u64{some.feature} << 1 | (some.missing ? 1 : 0)) ^
                     (u64{some.begin} << 32 | some.end));
    for (const u8 in : some.categories) word = mix64(word << 1 ^ in);
    hash += {mix64(2 * word), mix64(2 * word + 1)};
  }
  return hash;
}

std::string write_questions(std::span<const NodeQuestion> questions,
                            const std::vector<Column>& columns) {
  ByteWriter out;
  out.number(questions.size());
  for (const NodeQuestion& q : questions) {
    out.number(q.part);
    out.number(q.cells ? 1 : 0);
    out.number(q.steps.size());
    for (const PathStep& step : q.steps) write_step(out, step, columns);
  }
  return std::move(out.bytes);
}

std::vector<NodeQuestion> read_questions(std::string_view request,
                                         const std::vector<Column>& columns) {
  ByteReader in(request, kWhat);
  std::vector<NodeQuestion> questions(in.count());
  for (NodeQuestion& q : questions) {
    q.part = static_cast<u32>(in.number());
    q.cells = in.number() != 0;
    const u64 n_steps = in.count();
    for (u64 i = 0; i < n_steps; ++i) q.steps.push_back(read_step(in, columns));
  }
  return questions;
}

TargetRange::TargetRange(const Targets& t) {
  if (t.classification()) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  least.assign(t.n_outputs, kInfinity);
  largest.assign(t.n_outputs, -kInfinity);
}

void TargetRange::add(const Targets& t, std::span<const Row> rows) {
  for (std::size_t j = 0; j < least.size(); ++j)
    for (const Row r : rows) {
      const double y = t.y[std::size_t{r} * t.n_outputs + j];
      least[j] = std::min(least[j], y);
      largest[j] = std::max(largest[j], y);
    }
}

TargetRange& TargetRange::operator+=(const TargetRange& other) {
  for (std::size_t j = 0; j < least.size(); ++j) {
    least[j] = std::min(least[j], other.least[j]);
    largest[j] = std::max(largest[j], other.largest[j]);
  }
  return *this;
}

NodeFacts& NodeFacts::operator+=(const NodeFacts& other) {
  n += other.n;
  for (std::size_t i = 0; i < stats.size(); ++i) stats[i] += other.stats[i];
  range += other.range;
  sibling += other.sibling;
  if (has_cells) cells += other.cells;
  return *this;
}

std::string write_answer(const CellLayout& layout, std::span<const NodeFacts> facts) {
  ByteWriter out;
  const Shape s = shape_of(layout, facts);
  for (const u64 n : {s.n_cells, s.count_width, s.sum_width, s.stats_width, s.n_ranges})
    out.number(n);
  out.number(facts.size());
  for (const NodeFacts& f : facts) {
    out.number(f.n);
    out.number(f.has_cells ? 1 : 0);
    out.array(f.stats);
    write_range(out, f.range);
    write_range(out, f.sibling);
    if (f.has_cells) f.cells.write(out);
  }
  return std::move(out.bytes);
}

std::vector<NodeFacts> read_answer(std::string_view answer,
                                   const std::shared_ptr<const CellLayout>& layout) {
  ByteReader in(answer, kAnswer);
  const Shape shape = read_shape(in);
  Shape expected = shape_of(*layout, {});
  expected.n_ranges = shape.n_ranges;
  if (shape != expected) throw FormatError("partitions answer for other columns");
  return read_facts(in, shape, layout);
}

std::string merge_node_answers(std::span<const std::string_view> answers) {
  std::optional<Shape> shape;
  std::shared_ptr<const CellLayout> layout;
  std::vector<NodeFacts> total;
  for (const std::string_view answer : answers) {
    ByteReader in(answer, kAnswer);
    const Shape own = read_shape(in);
    if (shape && own != *shape)
      throw FormatError("answers of partitions differ in size");
    if (!shape) layout = bare_layout(own);
    std::vector<NodeFacts> facts = read_facts(in, own, layout);
    if (shape && facts.size() != total.size())
      throw FormatError("partitions answer different questions");
    for (std::size_t i = 0; shape && i < total.size(); ++i) total[i] += facts[i];
    if (!shape) total = std::move(facts);
    shape = own;
  }
  if (!shape) throw FormatError("there is no answer to merge");
  return write_answer(*layout, total);
}

}  // namespace dpdtree
