#include "boost/boosting_partition.hpp"

#include <algorithm>

#include "boost/packed_bins.hpp"
#include "boost/round_batcher.hpp"
#include "boost/sampled_root.hpp"
#include "hist/node_evaluator.hpp"

namespace dpdtree::boosting {
namespace {

constexpr const char* kWhat = "boosting request";

ByteWriter answer_to(Question question) {
  ByteWriter out;
  out.number(static_cast<u64>(question));
  return out;
}

// Of residuals; raw null: of the targets.
Digits digits_of(std::span<const Row> rows, const LossInput& in, const double* raw,
                 const DigitRequest& request, u64 above) {
  std::vector<double> weight(std::size_t{1} << request.place.width, 0.0);
  std::vector<u8> seen(weight.size(), 0);
  for (const Row row : rows) {
    const double residual = in.y[row] - (raw != nullptr ? raw[row] : 0.0) + 0.0;
    const u64 ordered = ordered_bits(residual);
    if (request.place.above(ordered) != above) continue;
    weight[request.place.of(ordered)] += request.grid(in.weight_of(row));
    seen[request.place.of(ordered)] = 1;
  }
  Digits digits;
  for (std::size_t d = 0; d < weight.size(); ++d)
    if (seen[d] != 0) digits.push_back({d, weight[d]});
  return digits;
}

}  // namespace

BoostingPartition::BoostingPartition(Sample train, const Sample* validation,
                                     u32 n_classes, Params params)
    : params_(std::move(params)),
      loss_(make_loss(params_.loss, {n_classes, params_.quantile})),
      growing_(2 * std::size_t{loss_->n_outputs()}) {
  train.part = true;
  ThreadPool pool(1);
  StopToken stop(-1, {});
  rows_ = std::make_unique<LocalRows>(train, validation, params_, *loss_, nullptr, pool,
                                      stop);
}

void BoostingPartition::restart() {
  for (std::vector<double>* raw :
       {&rows_->training_scores(), &rows_->validation_scores()}) {
    const std::size_t n = raw->size() / baseline_.size();
    for (std::size_t i = 0; i < raw->size(); ++i) (*raw)[i] = baseline_[i / n];
  }
  iteration_ = 0;
}

std::string BoostingPartition::answer(std::string_view request) {
  const std::lock_guard lock(mutex_);
  ThreadPool pool(params_.n_threads);
  if (!is_bundle(request)) return answer_one(request, pool);
  std::vector<std::string> answers;
  for (const std::string_view one : unbundled(request)) {
    answers.push_back(answer_one(one, pool));
    if (answers.back().empty()) return {};
  }
  return bundled(answers);
}

std::string BoostingPartition::answer_one(std::string_view request, ThreadPool& pool) {
  ByteReader in(request, kWhat);
  if (!catch_up(in, pool)) return {};
  const u64 lone = in.number();
  const auto question = static_cast<Question>(in.number());
  if (question == Question::start) return start();
  if (question == Question::start_digits) return start_digits(in);
  rows_->compute_derivatives(pool);
  draw(lone);
  switch (question) {
    case Question::prepare:
      return prepare(in, pool);
    case Question::histograms:
      return histograms(in, pool);
    case Question::leaf_sums:
      return leaf_sums(in, pool);
    case Question::leaf_digits:
      return leaf_digits(in, pool);
    case Question::start:
    case Question::start_digits:
      break;
  }
  throw FormatError("a boosting request asks nothing that is known");
}

// The trees of the iterations from `first` on come with the request; before the first
// of all, where scores start.
bool BoostingPartition::catch_up(ByteReader& in, ThreadPool& pool) {
  const u64 first = in.number(), n = in.count();
  bool known = iteration_ >= first && iteration_ <= first + n;
  if (first == 0) {
    std::vector<double> baseline;
    in.sized(baseline);
    if (baseline.empty()) return n == 0;  // nobody knows yet
    if (baseline.size() != loss_->n_outputs())
      throw FormatError("there must be a start for each output");
    known = known && baseline == baseline_;
    baseline_ = std::move(baseline);
  }
  if (!known && first > 0) return false;
  if (!known) restart();
  for (u64 iteration = first; iteration < first + n; ++iteration) {
    for (u32 k = 0; k < loss_->n_outputs(); ++k) {
      const ValuedTree sent = read_tree(in);
      if (iteration >= iteration_) rows_->add_by_codes(sent.tree, sent.values, k, pool);
    }
    iteration_ = std::max(iteration_, iteration + 1);
  }
  return true;
}

void BoostingPartition::draw(u64 lone) {
  if (drawn_ == iteration_ && lone_ == lone) return;
  const bool same = params_.subsample >= 1 && drawn_ != ~u64{0} && lone == lone_;
  if (!same)
    rows_->draw_part(iteration_,
                     lone > 0 ? std::optional<u64>(lone - 1) : std::nullopt);
  drawn_ = iteration_;
  lone_ = lone;
}

LossPart BoostingPartition::loss_part(const LossInput& in, ByteReader& request) const {
  const double guess = read_double(request);
  const u64 n_rows = request.number();
  LossPart part{loss_->largest_loss(in), {}};
  loss_->add_losses(in, Grid(guess, n_rows), part.sum);
  return part;
}

OutputPart BoostingPartition::output_part(u32 output, bool noise,
                                          ThreadPool& pool) const {
  OutputPart part{rows_->largest(output, pool), {}, {}, {}};
  if (noise) rows_->add_spread(output, part.squares, part.hessian, part.weights);
  return part;
}

std::string BoostingPartition::start() const {
  const LossInput training = rows_->training_input();
  Start s;
  s.n_rows = training.n_rows;
  s.n_usable = rows_->n_usable();
  for (std::size_t i = 0; training.weight != nullptr && i < training.n_rows; ++i)
    s.largest_weight = std::max(s.largest_weight, training.weight[i]);
  loss_->add_start(training, s.training);
  s.n_validation_rows = rows_->n_validation_rows();
  s.validation.add_weights(rows_->validation_input());
  ByteWriter out = answer_to(Question::start);
  s.write(out);
  return std::move(out.bytes);
}

std::string BoostingPartition::prepare(ByteReader& in, ThreadPool& pool) {
  const bool noise = in.number() != 0;
  Prepared p;
  p.training = loss_part(rows_->training_input(), in);
  p.validation = loss_part(rows_->validation_input(), in);
  for (u32 k = 0; k < loss_->n_outputs(); ++k)
    p.outputs.push_back(output_part(k, noise, pool));
  const BinnedData& data = rows_->data();
  for (u32 f = 0; f < data.n_features(); ++f)
    p.has_missing.push_back(data.has_missing(f) ? 1 : 0);
  if (params_.subsample < 1) {
    const LocalRows::LeastHash least = rows_->least_hash(iteration_);
    p.least_hash = least.hash;
    p.least_row = least.row;
  }
  ByteWriter out = answer_to(Question::prepare);
  p.write(out);
  return std::move(out.bytes);
}

BoostingPartition::Asked BoostingPartition::read_asked(ByteReader& in) const {
  Asked asked;
  asked.output = static_cast<u32>(in.number());
  if (asked.output >= loss_->n_outputs()) throw FormatError("there is no such output");
  asked.units = read_units(in);
  return asked;
}

NodeRows& BoostingPartition::nodes_of(const Asked& asked, u32 n_windows,
                                      ThreadPool& pool) {
  Growing& growing = growing_[2 * asked.output + (n_windows > 0 ? 1 : 0)];
  const Origin origin{iteration_, lone_, asked.units.gradient, asked.units.hessian,
                      n_windows};
  if (growing.origin == origin) return growing.nodes;
  std::vector<Row> some;
  std::span<const Row> rows = rows_->drawn();
  if (n_windows > 0) {
    const WindowOfRow window(n_windows, params_.seed);
    const auto wanted = static_cast<u32>(iteration_ % n_windows);
    for (const Row row : rows)
      if (window(rows_->first_row() + row) == wanted) some.push_back(row);
    rows = some;
  }
  const RowSet root = growing.nodes.reset(rows.size());
  std::copy(rows.begin(), rows.end(), root.rows);
  quantize(rows_->slopes(asked.output), rows, asked.units, root.gradients, pool);
  growing.origin = origin;
  return growing.nodes;
}

std::string BoostingPartition::histograms(ByteReader& in, ThreadPool& pool) {
  const Asked asked = read_asked(in);
  const auto n_windows = static_cast<u32>(in.number());
  const u64 n_nodes = in.count();
  const BinnedData& data = rows_->data();
  std::vector<Bin> bins(data.histogram_size() * asked.units.bins_per_cell());
  ByteWriter out = answer_to(Question::histograms);
  for (u64 i = 0; i < n_nodes; ++i) {
    const bool sampled = in.number() != 0;
    NodeRows& nodes = nodes_of(asked, sampled ? n_windows : 0, pool);
    const RowSet rows = nodes.find(data, pool, read_path(in));
    pool.parallel_for(data.blocks().size(), [&](std::size_t b, unsigned) {
      fill_block(data, data.blocks()[b], rows, asked.units, bins.data());
    });
    BinPlanes(bins, asked.units).write(out);
  }
  return std::move(out.bytes);
}

std::string BoostingPartition::leaf_sums(ByteReader& in, ThreadPool& pool) {
  const Asked asked = read_asked(in);
  const u64 n_leaves = in.count();
  const Slopes slopes = rows_->full_slopes(asked.output);
  ByteWriter out = answer_to(Question::leaf_sums);
  for (u64 i = 0; i < n_leaves; ++i) {
    const RowSet rows =
        nodes_of(asked, 0, pool).find(rows_->data(), pool, read_path(in));
    ExactSum gradient, hessian;
    for (std::size_t r = 0; r < rows.size; ++r) {
      const Row row = rows.rows[r];
      const double weight = slopes.weights != nullptr ? slopes.weights[row] : 1.0;
      gradient.add(weight * slopes.gradient[row]);
      hessian.add(weight * slopes.hessian[row]);
    }
    gradient.write(out);
    hessian.write(out);
  }
  return std::move(out.bytes);
}

std::string BoostingPartition::leaf_digits(ByteReader& in, ThreadPool& pool) {
  const Asked asked = read_asked(in);
  const DigitRequest request = DigitRequest::read(in);
  const LossInput training = rows_->training_input();
  const double* raw = training.raw + asked.output * training.n_rows;
  const u64 n_leaves = in.count();
  ByteWriter out = answer_to(Question::leaf_digits);
  for (u64 i = 0; i < n_leaves; ++i) {
    const u64 above = in.number();
    const RowSet rows =
        nodes_of(asked, 0, pool).find(rows_->data(), pool, read_path(in));
    out.sized(digits_of({rows.rows, rows.size}, training, raw, request, above));
  }
  return std::move(out.bytes);
}

std::string BoostingPartition::start_digits(ByteReader& in) const {
  const DigitRequest request = DigitRequest::read(in);
  const u64 above = in.number();
  ByteWriter out = answer_to(Question::start_digits);
  out.sized(
      digits_of(rows_->usable(), rows_->training_input(), nullptr, request, above));
  return std::move(out.bytes);
}

}  // namespace dpdtree::boosting
