#include "prove/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "loss/zero_one.hpp"
#include "prove/pair_job.hpp"

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostQuestions = 1024;
// With more cuts per feature, bisecting them is faster; where levels are many, only if
// cuts are, too.
constexpr std::size_t kCutsPerOrdering = 16;
constexpr std::size_t kManyQuestions = 256;
constexpr u32 kManyLevels = 6;
constexpr std::size_t kMostCounts = std::size_t{1} << 24;  // of one table

}  // namespace

std::unique_ptr<PairSearch> PairSearch::make_if_suited(const ExactData& data,
                                                       const ExactParams& params,
                                                       u32 levels, StopToken& stop) {
  if (data.label.empty() || params.cost.loss != Criterion::zero_one) return nullptr;
  // Leaves of a least number of rows would need these counted beside the weights.
  if (!data.weight.empty() && !params.without_limits()) return nullptr;
  if (params.limits.min_weight_leaf > 0) return nullptr;
  auto groups = group_rows(data);
  if (!groups) return nullptr;
  std::size_t most = std::min(kMostQuestions, kCutsPerOrdering * data.orderings.size());
  if (levels >= kManyLevels) most = std::max(most, kManyQuestions);
  BinaryFeatures questions(data, most);
  const std::size_t n = questions.size();
  if (n == 0 || n * (n + 1) / 2 * data.n_classes > kMostCounts) return nullptr;
  return std::unique_ptr<PairSearch>(new PairSearch(
      params, stop, PairTables(std::move(questions), std::move(*groups))));
}

bool few_cuts(const std::vector<Column>& columns, const std::vector<u32>& features) {
  std::size_t n_cuts = 0;
  for (const u32 f : features) n_cuts += columns[f].n_codes();
  return n_cuts <= kMostQuestions + kCutsPerOrdering * features.size();
}

// One evaluation counts pairs of questions, 64 rows at a time.
u64 PairSearch::cheap_evaluations() const {
  constexpr u64 kCheap = 60'000;
  return kCheap / tables_.questions().size();
}

double PairSearch::leaf_loss(std::span<const i32> counts) const {
  const RowGroups& groups = tables_.groups();
  double most = 0;
  for (std::size_t k = 0; k < counts.size(); ++k)
    most = std::max(most, counts[k] * groups.unit[k]);
  return groups.weight(counts) - most;
}

// By the number of classes alone.
double PairSearch::least_loss(const CountedRows& rows, u64 leaves) const {
  if (leaves >= rows.n_of.size()) return 0;
  std::vector<double> weights(rows.n_of.begin(), rows.n_of.end());
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] *= tables_.groups().unit[k];
  return ZeroOne::least_impurity(weights, leaves);
}

double PairSearch::side_value(std::span<const i32> counts, double stump, u32 n) const {
  const double leaf = leaf_loss(counts);
  if (n < params_.limits.min_samples_split) return leaf;
  return std::min(leaf, params_.cost.penalty(tables_.groups().weight(counts)) + stump);
}

// Of the rows with each answer, what twins among them lose in any tree.
struct PairSearch::TwinLosses {
  std::vector<double> yes, no;
};

// Per first question, the best trees of two levels (infinite if it divides nothing),
// and what all trees of more levels cost at least.
struct PairSearch::Promise {
  std::vector<double> value, beyond, least_yes, least_no;
  TwinLosses twins;
  std::vector<u8> yes_splits, no_splits;  // may the sides be split?
};

// What two splits of a side cost at least, whatever they save of what can be saved.
double PairSearch::least_of_two_splits(std::span<const i32> counts, double twins,
                                       u32 n) const {
  if (n < params_.limits.min_samples_split) return kInf;
  const double first = params_.cost.penalty(tables_.groups().weight(counts));
  return twins + (params_.cost.complexity == Complexity::n_leaves ? 2 * first : first);
}

// Is it never worth a split to part rows of this weight from others? The tree of the
// others serves all rows instead: it has a split less, fewer levels and leaves, none of
// them smaller, and loses no more than what these rows weigh.
bool PairSearch::too_few(double weight) const {
  if (params_.cost.complexity != Complexity::n_leaves) return false;
  return params_.row_cost(0) * weight < params_.price_of_levels(1) - params_.tolerance;
}

PairSearch::TwinLosses PairSearch::twin_losses(const CountedRows& rows) const {
  TwinLosses out;
  out.yes.assign(tables_.questions().size(), 0.0);
  double all = 0;
  if (params_.twins != nullptr && !params_.twins->lose_nothing())
    for (const u32 row : rows.rows) {
      const double loss = params_.twins->loss_of_row(row);
      all += loss;
      if (loss > 0) tables_.questions().add_where_yes(row, loss, out.yes);
    }
  for (const double yes : out.yes) out.no.push_back(std::max(0.0, all - yes));
  return out;
}

// A tree of more than two levels splits one side twice at least; the other one is a
// leaf, a stump, or as dear.
PairSearch::Promise PairSearch::two_levels(const CountedRows& rows, u64 leaves) {
  const u32 least = std::max(1u, params_.limits.min_samples_leaf);
  tables_.rate_stumps(rows, least);
  const std::size_t n_questions = tables_.questions().size();
  Promise out{std::vector<double>(n_questions, kInf),
              std::vector<double>(n_questions, kInf),
              std::vector<double>(n_questions, 0.0),
              std::vector<double>(n_questions, 0.0),
              twin_losses(rows),
              std::vector<u8>(n_questions, leaves > 2),
              std::vector<u8>(n_questions, leaves > 2)};
  const double penalty = params_.cost.penalty(rows.weight);
  const TwinLosses& twins = out.twins;
  std::vector<i32> yes(tables_.n_classes()), no(tables_.n_classes());
  for (std::size_t q = 0; q < n_questions; ++q) {
    u32 n_yes = 0, n_no = 0;
    for (std::size_t k = 0; k < yes.size(); ++k) {
      yes[k] = tables_.both(rows, k, q, q);
      no[k] = rows.n_of[k] - yes[k];
      n_yes += static_cast<u32>(yes[k]);
      n_no += static_cast<u32>(no[k]);
    }
    if (n_yes < least || n_no < least) continue;
    const RowGroups& groups = tables_.groups();
    if (too_few(std::min(groups.weight(yes), groups.weight(no)))) continue;
    double one_yes = side_value(yes, tables_.stump_of_yes(q), n_yes);
    double one_no = side_value(no, tables_.stump_of_no(q), n_no);
    if (leaves <= Job::kLeavesOfTwoLevels) {  // one of them may be split, or none
      const double leaf_yes = leaf_loss(yes), leaf_no = leaf_loss(no);
      const bool split_yes = leaves > 2 && one_yes + leaf_no <= leaf_yes + one_no;
      if (!split_yes) one_yes = leaf_yes;
      if (split_yes || leaves == 2) one_no = leaf_no;
      out.yes_splits[q] = split_yes;
      out.no_splits[q] = leaves > 2 && !split_yes;
    }
    const double two_yes = least_of_two_splits(yes, twins.yes[q], n_yes);
    const double two_no = least_of_two_splits(no, twins.no[q], n_no);
    out.least_yes[q] = std::min(one_yes, two_yes);
    out.least_no[q] = std::min(one_no, two_no);
    out.value[q] = penalty + one_yes + one_no;
    out.beyond[q] = penalty + std::min(two_yes + std::min(one_no, two_no),
                                       two_no + std::min(one_yes, two_yes));
  }
  return out;
}

PairSearch::Choice PairSearch::choice_of(std::size_t question, Side yes,
                                         Side no) const {
  const Question& q = tables_.questions()[question];
  return std::make_shared<const ExactChoice>(
      ExactChoice{true, q.ordering, q.rank, yes.leaves, no.leaves,
                  std::move(yes.choice), std::move(no.choice)});
}

// What is known before any table is made: no tree is worth less than `least`. False if
// that is enough.
bool PairSearch::begin(Job& job, Bounds least) {
  const CountedRows& rows = job.rows;
  const double leaf = leaf_loss(rows.n_of);
  job.penalty = params_.cost.penalty(rows.weight);
  if (leaf <= std::max(job.penalty, least.any_depth)) {  // nothing needs to be kept
    job.best = {leaf, leaf, leaf, {}, job.levels};
    return false;
  }
  job.best = recall(job.key(), job.levels);
  job.fewer_levels = job.best.fewer_levels;
  if (leaf <= job.best.value) {
    job.best.value = leaf;
    job.best.choice = nullptr;
  }
  job.floor_of_any_depth = std::max(job.penalty, job.best.any_depth);
  job.floor = std::max(job.best.lower, job.penalty + least_loss(rows, job.leaves));
  if (job.limits_leaves()) {  // more leaves are no worse
    const Found more = recall(rows.key, job.levels);
    job.floor = std::max(job.floor, more.lower);
    job.floor_of_any_depth = std::max(job.floor_of_any_depth, more.any_depth);
  }
  const double value = job.best.value;
  // May it be split?
  const bool whole = rows.n < params_.limits.min_samples_split || job.leaves <= 1;
  job.floor = std::max(job.floor, least.lower);
  job.floor_of_any_depth = std::max(job.floor_of_any_depth, least.any_depth);
  job.best.lower = whole ? value : std::min(value, job.floor);
  job.best.any_depth = whole ? value : std::min(value, job.floor_of_any_depth);
  job.twins = least.twins;
  bound_any_depth(job);
  return job.best.lower < job.to_beat() - params_.tolerance;
}

// What is known before any question is followed: all trees of two levels.
void PairSearch::start(Job& job) {
  Promise promise = two_levels(job.rows, job.leaves);
  const std::vector<double>& values = promise.value;
  const bool deeper = !job.is_bottom();
  job.twins_yes = std::move(promise.twins.yes);
  job.twins_no = std::move(promise.twins.no);
  job.any_yes = promise.least_yes;
  job.any_no = promise.least_no;
  job.least_yes = std::move(promise.least_yes);
  job.least_no = std::move(promise.least_no);
  job.bound.assign(values.size(), job.floor);
  job.any_depth.assign(values.size(), job.floor_of_any_depth);
  double two_levels = leaf_loss(job.rows.n_of);
  for (std::size_t q = 0; q < values.size(); ++q) {
    if (!std::isfinite(values[q])) continue;
    job.order.push_back(q);
    two_levels = std::min(two_levels, values[q]);
    job.any_depth[q] =
        std::max(job.floor_of_any_depth,
                 job.leaves <= Job::kLeavesOfTwoLevels ? values[q] : promise.beyond[q]);
    job.bound[q] = deeper ? std::max(job.floor, promise.beyond[q]) : values[q];
    if (values[q] >= job.best.value - params_.tolerance) continue;
    job.best.value = values[q];
    job.best.choice = choice_of(q, {nullptr, 1u + promise.yes_splits[q]},
                                {nullptr, 1u + promise.no_splits[q]});
  }
  if (job.order.empty()) job.best.lower = job.best.any_depth = job.best.value;
  if (job.is_bottom()) return;  // none of them will be followed
  if (job.levels == 3) job.fewer_levels = two_levels;
  inherit(job);
  for (const std::size_t q : job.order) raise_bound(job, q);
  std::stable_sort(job.order.begin(), job.order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
}

void PairSearch::evaluate(Job& job, std::size_t question) {
  if (stop_.poll() || evaluations_ >= give_up_at_) throw SearchStopped{};
  ++evaluations_;
  const u32 levels = job.levels - 1;
  if (spare_.size() <= job.levels) spare_.resize(job.levels + 1);
  // Taken out while in use: deeper levels may grow the vector.
  std::vector<CountedRows> sides = std::move(spare_[job.levels]);
  sides.resize(2);
  CountedRows &smaller = sides[0], &larger = sides[1];
  tables_.divide(job.rows, question, smaller, larger);
  // Every way to share the leaves out; without a limit there is one.
  const u64 most = Cost::max_leaves(levels);
  const bool yes = tables_.questions().yes(smaller.rows.front(), question);
  Bounds both{kInf, kInf}, of_small = both, of_large = both;
  for (u64 n = job.leaves > most ? job.leaves - most : 1; n <= most && n < job.leaves;
       ++n) {
    const Shares share = evaluate_share(job, question, yes, sides, n);
    both = least_of(both, {share.small.lower + share.large.lower,
                           share.small.any_depth + share.large.any_depth});
    of_small = least_of(of_small, share.small);
    of_large = least_of(of_large, share.large);
  }
  job.bound[question] = std::max(job.bound[question], job.penalty + both.lower);
  job.any_depth[question] =
      std::max(job.any_depth[question], job.penalty + both.any_depth);
  bound_others(job, question, yes ? of_small : of_large, yes ? of_large : of_small);
  spare_[job.levels] = std::move(sides);
}

// With so many leaves for the smaller side, the others for the larger one. The smaller
// side first: what it is worth tells how much less the larger one has to be.
PairSearch::Shares PairSearch::evaluate_share(Job& job, std::size_t question, bool yes,
                                              std::vector<CountedRows>& sides,
                                              u64 leaves) {
  CountedRows &smaller = sides[0], &larger = sides[1];
  const u32 levels = job.levels - 1;
  const u64 rest = job.leaves - leaves;
  const double wanted = job.to_beat() - job.penalty;
  Bounds least_small{job.least_yes[question], job.any_yes[question],
                     job.twins_yes[question]};
  Bounds least_large{job.least_no[question], job.any_no[question],
                     job.twins_no[question]};
  if (!yes) std::swap(least_small, least_large);
  bound_by_all_rows(job, smaller.weight, larger.weight, least_small, least_large);
  Job large{larger, levels, rest, kInf, {}};  // what is known of it
  want_affordable_levels(large, least_large.twins);
  begin(large, least_large);
  Found found[2] = {{}, large.told()};
  found[1].value = kInf;
  found[0] = solve({smaller, levels, leaves, wanted - found[1].lower, {}, &job},
                   least_small, [&] { return tables_.count_smaller(stop_, smaller); });
  if (found[0].lower + found[1].lower < wanted - params_.tolerance)
    found[1] =
        solve({larger, levels, rest, wanted - found[0].lower, {}, &job}, least_large,
              [&] { return tables_.count_larger(job.rows, stop_, smaller, larger); });
  const double value = job.penalty + found[0].value + found[1].value;
  if (value < job.best.value - params_.tolerance) {
    job.best.value = value;
    const Side small_side{found[0].choice, leaves}, large_side{found[1].choice, rest};
    job.best.choice = choice_of(question, yes ? small_side : large_side,
                                yes ? large_side : small_side);
  }
  return {{found[0].lower, found[0].any_depth}, {found[1].lower, found[1].any_depth}};
}

// In the order of what two levels promise.
void PairSearch::run(Job& job, const Report* report) {
  if (job.is_bottom()) return;
  for (const std::size_t q : job.order) {
    if (report != nullptr)
      (*report)({job.to_beat(), std::min(job.lower(), job.to_beat())});
    if (job.bound[q] < job.to_beat() - params_.tolerance) evaluate(job, q);
  }
}

void PairSearch::remember(Job& job) {
  Found& best = job.best;
  best.any_depth = std::min(best.value, job.lower_of_any_depth());
  best.lower = std::min(best.value, job.lower());
  bound_any_depth(job);
  if (best.value - best.lower <= params_.tolerance) best.lower = best.value;
  memo_.store(job.key(), best, 1);
}

// Trees of fewer levels are there, too; bounds of more levels hold for fewer.
PairSearch::Found PairSearch::recall(const Hash128& key, u32 levels) {
  Found known;
  if (!memo_.lookup(key, known)) return {kInf, 0, 0, {}, levels};
  known.fewer_levels = known.levels + 1 < levels ? known.any_depth : known.lower;
  if (known.levels < levels) known.lower = known.any_depth;
  if (known.levels > levels) known.value = kInf;
  known.levels = levels;
  return known;
}

PairSearch::Found PairSearch::solve(Job job, Bounds least,
                                    const MakeTable& make_table) {
  want_affordable_levels(job, least.twins);
  if (!begin(job, least)) return job.told();
  if (!make_table()) throw SearchStopped{};
  start(job);
  run(job, nullptr);
  remember(job);
  return job.told();
}

ExactSearch::Outcome PairSearch::prove(std::span<const u32> rows, u32 levels,
                                       u64 leaves, double incumbent,
                                       ExactChoice& choice, const Report& report) {
  Outcome out{incumbent, 0, false};
  give_up_at_ = most_evaluations_ == ~0ULL ? ~0ULL : evaluations_ + most_evaluations_;
  const CountedRows* const all = tables_.make(rows, stop_);
  if (all == nullptr) return out;
  const CountedRows& root = *all;
  Job job{root, levels, std::min(leaves, Cost::max_leaves(levels)), incumbent, {}};
  try {
    const double twins = params_.least_of_twins(root.rows);
    const double apart = params_.cost.penalty(root.weight) + twins;
    if (begin(job, {apart, apart, twins})) {
      start(job);
      run(job, &report);
    }
    out.complete = true;
  } catch (const SearchStopped&) {
  }
  out.value = job.to_beat();
  out.lower_bound = out.complete ? out.value : std::min(job.lower(), out.value);
  out.any_depth = std::min(job.lower_of_any_depth(), out.value);
  if (job.best.value < incumbent - params_.tolerance && job.best.choice != nullptr)
    choice = *job.best.choice;
  return out;
}

}  // namespace dpdtree
