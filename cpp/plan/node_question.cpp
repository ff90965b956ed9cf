#include "plan/node_question.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/rng.hpp"
#include "plan/split_bytes.hpp"

namespace dpdtree {
namespace {

constexpr const char* kWhat = "a request for nodes";
constexpr const char* kAnswer = "an answer about nodes";

bool missing_left(const Split& split) { return split.missing == Missing::left; }

void write_step(ByteWriter& out, const PathStep& step,
                const std::vector<Column>& columns) {
  write_split(out, step.split, columns);
  out.number(step.right ? 1 : 0);
}

PathStep read_step(ByteReader& in, const std::vector<Column>& columns) {
  PathStep step;
  step.split = read_split(in, columns);
  step.right = in.number() != 0;
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
std::shared_ptr<const CellLayout> bare_layout(CellLayout layout, u64 n_cells) {
  layout.first = {0, n_cells};
  return std::make_shared<const CellLayout>(std::move(layout));
}

AnswerLayouts bare_layouts(const Shape& s) {
  CellLayout own({}, Targets{});
  AnswerLayouts out;
  out.sides = bare_layout(own, s.n_cells);
  own.count_width = s.count_width;
  own.sum_width = s.sum_width;
  own.stats_width = s.stats_width;
  out.cells = bare_layout(own, s.n_cells);
  return out;
}

bool asks_for_sides(Asked what) {
  return what == Asked::largest_cost || what == Asked::side_cells;
}

bool has_cells(Asked what) { return what == Asked::cells || what == Asked::side_cells; }

Asked read_asked(ByteReader& in) {
  const u64 what = in.number();
  if (what > static_cast<u64>(Asked::side_cells))
    throw FormatError("a request asks for something unknown");
  return static_cast<Asked>(what);
}

void write_facts(ByteWriter& out, const NodeFacts& f) {
  out.number(f.n);
  out.number(static_cast<u64>(f.what));
  out.array(f.stats);
  write_range(out, f.range);
  write_range(out, f.sibling);
  out.number(f.parts.size());
  for (const PartSize& part : f.parts) {
    out.number(part.n);
    out.raw(&part.weight, sizeof part.weight);
  }
  if (has_cells(f.what)) f.cells.write(out);
  if (f.what == Asked::side_cells) out.number(f.n_counted);
  if (f.what == Asked::largest_cost) out.raw(&f.largest, sizeof f.largest);
  if (f.what == Asked::sample) f.drawn.write(out);
}

NodeFacts read_fact(ByteReader& in, const Shape& shape, const AnswerLayouts& layouts) {
  NodeFacts f;
  f.n = in.number();
  f.what = read_asked(in);
  in.array(f.stats, shape.stats_width);
  f.range = read_range(in, shape.n_ranges);
  f.sibling = read_range(in, shape.n_ranges);
  f.parts.resize(in.count());
  for (PartSize& part : f.parts) {
    part.n = in.number();
    in.raw(&part.weight, sizeof part.weight);
  }
  if (has_cells(f.what)) f.cells = CellTable::read(in, layouts.of(f.what));
  if (f.what == Asked::side_cells) f.n_counted = in.number();
  if (f.what == Asked::largest_cost) in.raw(&f.largest, sizeof f.largest);
  if (f.what == Asked::sample) f.drawn = DrawnRows::read(in);
  return f;
}

std::vector<NodeFacts> read_facts(ByteReader& in, const Shape& shape,
                                  const AnswerLayouts& layouts) {
  std::vector<NodeFacts> facts(in.count());
  for (NodeFacts& f : facts) f = read_fact(in, shape, layouts);
  return facts;
}

}  // namespace

AnswerLayouts::AnswerLayouts(const std::vector<Column>& columns, const Targets& targets)
    : cells(std::make_shared<const CellLayout>(columns, targets)),
      sides(std::make_shared<const CellLayout>(columns, Targets{})) {}

NodeQuestion question_of(const NodePath* path, Asked what) {
  NodeQuestion q;
  q.what = what;
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
    out.number(static_cast<u64>(q.what));
    out.number(q.steps.size());
    for (const PathStep& step : q.steps) write_step(out, step, columns);
    if (q.what == Asked::sample) q.sample.write(out);
    if (asks_for_sides(q.what)) q.sides.write(out, columns);
  }
  return std::move(out.bytes);
}

std::vector<NodeQuestion> read_questions(std::string_view request,
                                         const std::vector<Column>& columns) {
  ByteReader in(request, kWhat);
  std::vector<NodeQuestion> questions(in.count());
  for (NodeQuestion& q : questions) {
    q.part = static_cast<u32>(in.number());
    q.what = read_asked(in);
    const u64 n_steps = in.count();
    for (u64 i = 0; i < n_steps; ++i) q.steps.push_back(read_step(in, columns));
    if (q.what == Asked::sample) q.sample = SampleQuestion::read(in, columns.size());
    if (asks_for_sides(q.what)) q.sides = SideQuestion::read(in, columns);
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
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  if (other.what != what) throw FormatError("partitions answer different questions");
  if (has_cells(what)) cells += other.cells;
  n_counted += other.n_counted;
  largest = std::max(largest, other.largest);
  drawn.append(other.drawn);
  return *this;
}

std::string write_answer(const CellLayout& layout, std::span<const NodeFacts> facts) {
  ByteWriter out;
  const Shape s = shape_of(layout, facts);
  for (const u64 n : {s.n_cells, s.count_width, s.sum_width, s.stats_width, s.n_ranges})
    out.number(n);
  out.number(facts.size());
  for (const NodeFacts& f : facts) write_facts(out, f);
  return std::move(out.bytes);
}

std::vector<NodeFacts> read_answer(std::string_view answer,
                                   const AnswerLayouts& layouts) {
  ByteReader in(answer, kAnswer);
  const Shape shape = read_shape(in);
  Shape expected = shape_of(*layouts.cells, {});
  expected.n_ranges = shape.n_ranges;
  if (shape != expected) throw FormatError("partitions answer for other columns");
  return read_facts(in, shape, layouts);
}

std::string merge_node_answers(std::span<const std::string_view> answers) {
  std::optional<Shape> shape;
  AnswerLayouts layouts;
  std::vector<NodeFacts> total;
  for (const std::string_view answer : answers) {
    ByteReader in(answer, kAnswer);
    const Shape own = read_shape(in);
    if (shape && own != *shape)
      throw FormatError("answers of partitions differ in size");
    if (!shape) layouts = bare_layouts(own);
    std::vector<NodeFacts> facts = read_facts(in, own, layouts);
    if (shape && facts.size() != total.size())
      throw FormatError("partitions answer different questions");
    for (std::size_t i = 0; shape && i < total.size(); ++i) total[i] += facts[i];
    if (!shape) total = std::move(facts);
    shape = own;
  }
  if (!shape) throw FormatError("there is no answer to merge");
  return write_answer(*layouts.cells, total);
}

}  // namespace dpdtree
