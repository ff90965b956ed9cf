#include "boost/remote_rows.hpp"

#include <algorithm>

#include "boost/packed_bins.hpp"

namespace dpdtree::boosting {
namespace {

constexpr const char* kWhat = "boosting answer";

// How a residual is found, digit by digit: the first tells signs and sizes.
constexpr DigitPlace kPlaces[] = {{48, 16}, {36, 12}, {24, 12}, {12, 12}, {0, 12}};

bool same_grid(double a, double b, std::size_t n) {
  return Grid(a, n).unit() == Grid(b, n).unit();
}

}  // namespace

ByteWriter RemoteRows::request(Question question, bool last_trees) const {
  ByteWriter out;
  const u64 with = last_trees && iteration_ > 0 ? 1 : 0;
  const std::string_view trees =
      with > 0 ? std::string_view(history_).substr(last_trees_) : std::string_view();
  out.number(iteration_ - with);
  out.number(with);
  if (iteration_ == with) out.sized(baseline_);
  out.raw(trees.data(), trees.size());
  out.number(lone_ ? *lone_ + 1 : 0);
  out.number(static_cast<u64>(question));
  return out;
}

// A request begins with the number of the first iteration whose trees it has, and their
// number: none, or that of the last. Before the first of all, it says where to start.
std::string RemoteRows::with_history(std::string_view request) const {
  if (is_bundle(request)) {  // the first of them is enough
    std::vector<std::string> parts;
    for (const std::string_view part : unbundled(request))
      parts.push_back(parts.empty() ? with_history(part) : std::string(part));
    return bundled(parts);
  }
  ByteReader in(request, kWhat);
  const bool from_start = in.number() == 0;
  const std::size_t trees = in.number() > 0 ? history_.size() - last_trees_ : 0;
  const std::size_t start = from_start ? sizeof(u64) + 8 * baseline_.size() : 0;
  ByteWriter out;
  out.number(0);
  out.number(iteration_);
  out.sized(baseline_);
  out.bytes += history_;
  out.bytes += request.substr(2 * sizeof(u64) + start + trees);
  return std::move(out.bytes);
}

std::string RemoteRows::answer(Question question, const ByteWriter& request) const {
  std::string answer = batcher_.ask(request.bytes);
  if (ByteReader(answer, kWhat).number() != static_cast<u64>(question))
    throw FormatError("the answer is to another question");
  return answer.substr(sizeof(u64));
}

void RemoteRows::start(const Loss& loss) {
  const std::string found = answer(Question::start, request(Question::start, false));
  ByteReader in(found, kWhat);
  const Start start = Start::read(in);
  if (start.n_usable == 0) throw InputError("sample_weight has no positive entry");
  sizes_ = {start.n_rows, start.n_usable, start.training.weight.value(),
            start.n_validation_rows, start.validation.weight.value()};
  if (loss.leaf_quantile() >= 0)
    baseline_ = {start_quantile(start, loss.leaf_quantile())};
  else
    baseline_ = loss.start(start.training);
}

double RemoteRows::start_quantile(const Start& start, double quantile) const {
  Leaf all;
  for (const DigitPlace& place : kPlaces) {
    ByteWriter out = request(Question::start_digits, false);
    DigitRequest::write(out, start.largest_weight, start.n_usable, place);
    out.number(all.bits);
    const std::string found = answer(Question::start_digits, out);
    ByteReader in(found, kWhat);
    read_digit(in, quantile, place, all);
  }
  return from_ordered_bits(all.bits);
}

void RemoteRows::prepare() {
  if (!new_trees_.front().empty()) {
    last_trees_ = history_.size();
    for (const std::string& tree : new_trees_) history_ += tree;
    forget_trees();
    ++iteration_;
  }
  lone_.reset();
  const double training = prepared_.training.largest;
  const double validation = prepared_.validation.largest;
  ask_prepared(training, validation);
  const auto on_grid = [](const LossPart& part, double guess, std::size_t n) {
    return part.largest == 0 || same_grid(part.largest, guess, n);
  };
  const bool none_drawn = prepared_.outputs.front().largest.n_rows == 0;
  // Too few rows for `subsample`: the one of the smallest hash has to do.
  if (none_drawn) lone_ = prepared_.least_row;
  if (none_drawn || !on_grid(prepared_.training, training, sizes_.n_rows) ||
      !on_grid(prepared_.validation, validation, sizes_.n_validation_rows))
    ask_prepared(prepared_.training.largest, prepared_.validation.largest);
}

void RemoteRows::ask_prepared(double training_guess, double validation_guess) {
  ByteWriter out = request(Question::prepare, true);
  out.number(noise_ || iteration_ == 0 ? 1 : 0);
  write_double(out, training_guess);
  out.number(sizes_.n_rows);
  write_double(out, validation_guess);
  out.number(sizes_.n_validation_rows);
  const std::string found = answer(Question::prepare, out);
  ByteReader in(found, kWhat);
  prepared_ = Prepared::read(in);
}

void RemoteRows::set_units(u32 output, const Units& units) { units_[output] = units; }

ByteWriter RemoteRows::about_nodes(Question question, u32 output) const {
  ByteWriter out = request(question, false);
  out.number(output);
  write_units(out, units_[output]);
  return out;
}

void RemoteRows::histograms(u32 output, u32 n_windows,
                            std::span<const NodeWanted> nodes,
                            std::size_t histogram_size) const {
  if (nodes.empty()) return;
  ByteWriter out = about_nodes(Question::histograms, output);
  out.number(n_windows);
  out.number(nodes.size());
  for (const NodeWanted& node : nodes) {
    out.number(node.sampled ? 1 : 0);
    write_path(out, node.path);
  }
  const std::string found = answer(Question::histograms, out);
  ByteReader in(found, kWhat);
  for (const NodeWanted& node : nodes)
    BinPlanes::read(in).copy_to({node.histogram, histogram_size}, units_[output]);
}

Largest RemoteRows::largest(u32 output, ThreadPool&) const {
  return prepared_.outputs[output].largest;
}

Spread RemoteRows::spread(u32 output) const {
  const OutputPart& part = prepared_.outputs[output];
  return {part.squares.value(), part.hessian.value(), part.weights.value()};
}

double RemoteRows::noise(u32 output) const {
  const Spread sum = spread(output);
  return sum.hessian > 0 ? sum.squares / sum.hessian : 0;
}

LossSum RemoteRows::training_loss() {
  return {prepared_.training.sum.value(), sizes_.weight};
}

LossSum RemoteRows::validation_loss() const {
  return {prepared_.validation.sum.value(), sizes_.validation_weight};
}

std::vector<RemoteRows::Leaf> RemoteRows::leaves_of(const GrownTree& tree) {
  std::vector<Leaf> leaves;
  for (u32 i = 0; i < tree.size(); ++i)
    if (tree[i].is_leaf()) leaves.push_back({i, boosting::path_of(tree, i), 0, 0, 0});
  return leaves;
}

std::vector<double> RemoteRows::leaf_quantiles(const GrownTree& tree, u32 output,
                                               double quantile) const {
  std::vector<Leaf> leaves = leaves_of(tree);
  for (const DigitPlace& place : kPlaces) next_digit(leaves, output, quantile, place);
  std::vector<double> values(tree.size(), 0.0);
  for (const Leaf& leaf : leaves) values[leaf.node] = from_ordered_bits(leaf.bits);
  return values;
}

void RemoteRows::next_digit(std::vector<Leaf>& leaves, u32 output, double quantile,
                            DigitPlace place) const {
  const Largest& largest = prepared_.outputs[output].largest;
  ByteWriter out = about_nodes(Question::leaf_digits, output);
  DigitRequest::write(out, largest.weighted ? largest.weight : 0, largest.n_rows,
                      place);
  out.number(leaves.size());
  for (const Leaf& leaf : leaves) {
    out.number(leaf.bits);
    write_path(out, leaf.path);
  }
  const std::string found = answer(Question::leaf_digits, out);
  ByteReader in(found, kWhat);
  for (Leaf& leaf : leaves) read_digit(in, quantile, place, leaf);
}

// Of the smallest residual with at least this share of the weight at or below it.
void RemoteRows::read_digit(ByteReader& in, double quantile, DigitPlace place,
                            Leaf& leaf) {
  Digits digits;
  in.sized(digits);
  if (digits.empty()) throw FormatError("a leaf has no rows");
  if (place.shift + place.width == 64)
    for (const DigitWeight& d : digits) leaf.total += d.weight;
  std::size_t at = 0;
  double seen = leaf.below + digits[0].weight;
  while (at + 1 < digits.size() && !(seen >= quantile * leaf.total && seen > 0))
    seen += digits[++at].weight;
  leaf.below = seen - digits[at].weight;
  leaf.bits = leaf.bits << place.width | digits[at].digit;
}

std::vector<DerivativeSum> RemoteRows::leaf_sums(const GrownTree& tree, u32 output,
                                                 double l2) const {
  const std::vector<Leaf> leaves = leaves_of(tree);
  ByteWriter out = about_nodes(Question::leaf_sums, output);
  out.number(leaves.size());
  for (const Leaf& leaf : leaves) write_path(out, leaf.path);
  const std::string found = answer(Question::leaf_sums, out);
  ByteReader in(found, kWhat);
  std::vector<DerivativeSum> sums(tree.size(), {0, l2});
  for (const Leaf& leaf : leaves) {
    const double gradient = ExactSum::read(in).value();
    sums[leaf.node] = {gradient, ExactSum::read(in).value() + l2};
  }
  return sums;
}

void RemoteRows::add_tree(const GrownTree& tree, std::span<const double> values,
                          u32 output, ThreadPool&) {
  ByteWriter out;
  write_tree(out, tree, values);
  new_trees_[output] = std::move(out.bytes);
}

}  // namespace dpdtree::boosting
