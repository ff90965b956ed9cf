#include "boost/messages.hpp"

#include <algorithm>

#include "boost/packed_bins.hpp"
#include "boost/round_batcher.hpp"

namespace dpdtree::boosting {
namespace {

constexpr const char* kWhat = "boosting message";

void write_split(ByteWriter& out, const BinnedSplit& split) {
  const u64 kind = (split.categorical ? 1u : 0u) | (split.missing_left ? 2u : 0u);
  out.number(u64{split.feature} << 2 | kind);
  if (split.categorical)
    out.raw(&split.left_bins, sizeof split.left_bins);
  else
    out.number(split.cut);
}

BinnedSplit read_split(ByteReader& in) {
  const u64 word = in.number();
  BinnedSplit split;
  split.feature = static_cast<u32>(word >> 2);
  split.categorical = (word & 1) != 0;
  split.missing_left = (word & 2) != 0;
  if (split.categorical)
    in.raw(&split.left_bins, sizeof split.left_bins);
  else
    split.cut = static_cast<u32>(in.number());
  return split;
}

std::string add_bins(std::span<const std::string_view> answers) {
  std::vector<BinPlanes> total;
  for (const std::string_view answer : answers) {
    ByteReader in(answer.substr(sizeof(u64)), kWhat);
    for (std::size_t i = 0; !in.at_end(); ++i) {
      if (i == total.size()) total.emplace_back();
      total[i] += BinPlanes::read(in);
    }
  }
  ByteWriter out;
  out.number(static_cast<u64>(Question::histograms));
  for (const BinPlanes& planes : total) planes.write(out);
  return std::move(out.bytes);
}

std::string add_sums(std::span<const std::string_view> answers) {
  std::vector<ExactSum> total;
  for (const std::string_view answer : answers) {
    ByteReader in(answer.substr(sizeof(u64)), kWhat);
    for (std::size_t i = 0; !in.at_end(); ++i) {
      if (i == total.size()) total.emplace_back();
      total[i] += ExactSum::read(in);
    }
  }
  ByteWriter out;
  out.number(static_cast<u64>(Question::leaf_sums));
  for (const ExactSum& sum : total) sum.write(out);
  return std::move(out.bytes);
}

Digits joined(const Digits& a, const Digits& b) {
  Digits out;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].digit < b[j].digit)) {
      out.push_back(a[i++]);
    } else if (i == a.size() || b[j].digit < a[i].digit) {
      out.push_back(b[j++]);
    } else {
      out.push_back({a[i].digit, a[i].weight + b[j].weight});
      ++i;
      ++j;
    }
  }
  return out;
}

std::string join_digits(Question question, std::span<const std::string_view> answers) {
  std::vector<Digits> total;
  for (const std::string_view answer : answers) {
    ByteReader in(answer.substr(sizeof(u64)), kWhat);
    for (std::size_t i = 0; !in.at_end(); ++i) {
      if (i == total.size()) total.emplace_back();
      Digits more;
      in.sized(more);
      total[i] = joined(total[i], more);
    }
  }
  ByteWriter out;
  out.number(static_cast<u64>(question));
  for (const Digits& digits : total) out.sized(digits);
  return std::move(out.bytes);
}

// Of Prepared or Start.
template <class State>
std::string add_states(Question question, std::span<const std::string_view> answers) {
  State total;
  for (const std::string_view answer : answers) {
    ByteReader in(answer.substr(sizeof(u64)), kWhat);
    total += State::read(in);
  }
  ByteWriter out;
  out.number(static_cast<u64>(question));
  total.write(out);
  return std::move(out.bytes);
}

// Question by question.
std::string merged_bundles(std::span<const std::string_view> answers) {
  std::vector<std::vector<std::string_view>> of_partition;
  for (const std::string_view answer : answers)
    of_partition.push_back(unbundled(answer));
  std::vector<std::string> total;
  for (std::size_t i = 0; i < of_partition.front().size(); ++i) {
    std::vector<std::string_view> parts;
    for (const auto& all : of_partition) parts.push_back(all.at(i));
    total.push_back(merged(parts));
  }
  return bundled(total);
}

void write_loss(ByteWriter& out, const LossPart& part) {
  write_double(out, part.largest);
  part.sum.write(out);
}

LossPart read_loss(ByteReader& in) {
  const double largest = read_double(in);
  return {largest, FixedSum::read(in)};
}

}  // namespace

void write_double(ByteWriter& out, double value) { out.raw(&value, sizeof value); }

double read_double(ByteReader& in) {
  double value = 0;
  in.raw(&value, sizeof value);
  return value;
}

void write_path(ByteWriter& out, const NodePath& path) {
  out.number(path.size());
  for (const PathStep& step : path) {
    out.number(step.left ? 1 : 0);
    write_split(out, step.split);
  }
}

NodePath read_path(ByteReader& in) {
  NodePath path(in.count());
  for (PathStep& step : path) {
    step.left = in.number() != 0;
    step.split = read_split(in);
  }
  return path;
}

NodePath path_of(const NodeContext& node) {
  NodePath path;
  for (const PathLink* link = node.path.get(); link != nullptr;
       link = link->above.get())
    path.push_back({link->split, link->left});
  std::reverse(path.begin(), path.end());
  return path;
}

void write_tree(ByteWriter& out, const GrownTree& tree,
                std::span<const double> values) {
  out.number(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    out.number(u64{tree[i].left} << 32 | tree[i].right);
    write_double(out, values[i]);
    if (!tree[i].is_leaf()) write_split(out, tree[i].split.rule);
  }
}

ValuedTree read_tree(ByteReader& in) {
  ValuedTree out;
  const u64 n = in.count();
  for (u64 i = 0; i < n; ++i) {
    GrownNode node;
    const u64 children = in.number();
    node.left = static_cast<u32>(children >> 32);
    node.right = static_cast<u32>(children);
    if (node.left >= n || node.right >= n) throw FormatError("a tree has loose ends");
    out.values.push_back(read_double(in));
    if (!node.is_leaf()) node.split.rule = read_split(in);
    out.tree.push_back(std::move(node));
  }
  return out;
}

void write_units(ByteWriter& out, const Units& units) {
  write_double(out, units.gradient);
  write_double(out, units.hessian);
  write_double(out, units.weight);
  out.number(units.count_bits);
}

Units read_units(ByteReader& in) {
  Units units;
  units.gradient = read_double(in);
  units.hessian = read_double(in);
  units.weight = read_double(in);
  units.count_bits = static_cast<u32>(in.number());
  return units;
}

Prepared& Prepared::operator+=(const Prepared& o) {
  for (auto [mine, other] :
       {std::pair{&training, &o.training}, std::pair{&validation, &o.validation}}) {
    mine->largest = std::max(mine->largest, other->largest);
    mine->sum += other->sum;
  }
  outputs.resize(o.outputs.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Largest& top = outputs[k].largest;
    const Largest& other = o.outputs[k].largest;
    top.gradient = std::max(top.gradient, other.gradient);
    top.hessian = std::max(top.hessian, other.hessian);
    top.weight = std::max(top.weight, other.weight);
    top.n_rows += other.n_rows;
    top.weighted |= other.weighted;
    outputs[k].squares += o.outputs[k].squares;
    outputs[k].hessian += o.outputs[k].hessian;
    outputs[k].weights += o.outputs[k].weights;
  }
  has_missing.resize(o.has_missing.size());
  for (std::size_t f = 0; f < has_missing.size(); ++f)
    has_missing[f] |= o.has_missing[f];
  if (o.least_hash < least_hash) {
    least_hash = o.least_hash;
    least_row = o.least_row;
  }
  return *this;
}

void Prepared::write(ByteWriter& out) const {
  write_loss(out, training);
  write_loss(out, validation);
  out.number(outputs.size());
  for (const OutputPart& part : outputs) {
    write_double(out, part.largest.gradient);
    write_double(out, part.largest.hessian);
    write_double(out, part.largest.weight);
    out.number(part.largest.n_rows);
    out.number(part.largest.weighted ? 1 : 0);
    part.squares.write(out);
    part.hessian.write(out);
    part.weights.write(out);
  }
  out.sized(has_missing);
  out.number(least_hash);
  out.number(least_row);
}

Prepared Prepared::read(ByteReader& in) {
  Prepared p;
  p.training = read_loss(in);
  p.validation = read_loss(in);
  p.outputs.resize(in.count());
  for (OutputPart& part : p.outputs) {
    part.largest.gradient = static_cast<float>(read_double(in));
    part.largest.hessian = static_cast<float>(read_double(in));
    part.largest.weight = read_double(in);
    part.largest.n_rows = in.number();
    part.largest.weighted = in.number() != 0;
    part.squares = ExactSum::read(in);
    part.hessian = ExactSum::read(in);
    part.weights = ExactSum::read(in);
  }
  in.sized(p.has_missing);
  p.least_hash = in.number();
  p.least_row = in.number();
  return p;
}

void DigitRequest::write(ByteWriter& out, double largest, u64 n, DigitPlace place) {
  write_double(out, largest);
  out.number(n);
  out.number(place.shift);
  out.number(place.width);
}

DigitRequest DigitRequest::read(ByteReader& in) {
  const double largest = read_double(in);
  const Grid grid(largest, in.number());
  DigitPlace place;
  place.shift = static_cast<u32>(in.number());
  place.width = static_cast<u32>(in.number());
  if (place.width > 16 || place.shift + place.width > 64)
    throw FormatError("there is no such digit");
  return {grid, place};
}

Start& Start::operator+=(const Start& o) {
  n_rows += o.n_rows;
  n_usable += o.n_usable;
  largest_weight = std::max(largest_weight, o.largest_weight);
  training += o.training;
  n_validation_rows += o.n_validation_rows;
  validation += o.validation;
  return *this;
}

void Start::write(ByteWriter& out) const {
  out.number(n_rows);
  out.number(n_usable);
  write_double(out, largest_weight);
  training.write(out);
  out.number(n_validation_rows);
  validation.write(out);
}

Start Start::read(ByteReader& in) {
  Start s;
  s.n_rows = in.number();
  s.n_usable = in.number();
  s.largest_weight = read_double(in);
  s.training = StartSums::read(in);
  s.n_validation_rows = in.number();
  s.validation = StartSums::read(in);
  return s;
}

std::string merged(std::span<const std::string_view> answers) {
  if (answers.empty()) throw InputError("there are no partitions");
  if (is_bundle(answers.front())) return merged_bundles(answers);
  const u64 question = ByteReader(answers.front(), kWhat).number();
  for (const std::string_view answer : answers)
    if (ByteReader(answer, kWhat).number() != question)
      throw FormatError("partitions answer different questions");
  if (answers.size() == 1) return std::string(answers.front());
  switch (static_cast<Question>(question)) {
    case Question::prepare:
      return add_states<Prepared>(Question::prepare, answers);
    case Question::start:
      return add_states<Start>(Question::start, answers);
    case Question::leaf_sums:
      return add_sums(answers);
    case Question::leaf_digits:
    case Question::start_digits:
      return join_digits(static_cast<Question>(question), answers);
    case Question::histograms:
      return add_bins(answers);
  }
  throw FormatError("partitions answer no question that is known");
}

}  // namespace dpdtree::boosting
