// What bounds the trees that begin with a question, apart from following it. V is the
// value of the best tree for a set of rows. Every bound follows from one of these:
//   - a tree for some rows serves fewer of them as well: where no limit binds
//     (`without_limits`), V never falls when rows are added;
//   - one more row costs at most `row_cost`: V(A) >= V(A or B) - row_cost * |B|. So
//     V(S) >= V(R) - row_cost * |R without S|, whatever else S holds;
//   - with a price per leaf, a tree of exactly n levels has at least n splits, and
//     loses at least what twins lose.
#include <algorithm>
#include <limits>

#include "prove/pair_job.hpp"

namespace dpdtree {
namespace {

void raise(double& bound, double other) { bound = std::max(bound, other); }

}  // namespace

// Trees of more levels cost as much as is wanted, or more: with k levels for the rest,
// (k + 1) splits and what twins lose reach the target or the leaf.
void PairSearch::want_affordable_levels(Job& job, double twins) const {
  const double wanted = std::min(job.target, leaf_loss(job.rows.n_of));
  const u64 most = std::max<u64>(2, params_.levels_below(wanted - twins));
  if (most >= job.levels) return;
  job.levels = static_cast<u32>(most);
  job.leaves = std::min(job.leaves, Cost::max_leaves(job.levels));
  job.all_levels = false;
}

// Any tree has these levels at most, or a split more than they are, at least.
void PairSearch::bound_any_depth(Job& job) const {
  const double deeper = job.twins + params_.price_of_levels(job.levels + 1);
  raise(job.best.any_depth, std::min(job.best.lower, deeper));
}

// From the bounds of both sides. Of trees with a level less something is known; one
// that has all levels has a side with all but one, as many splits, and their price.
void PairSearch::raise_bound(Job& job, std::size_t question) const {
  const double yes = job.least_yes[question], no = job.least_no[question];
  const double price = params_.price_of_levels(job.levels - 1);
  const double deep = std::min(std::max(yes, job.twins_yes[question] + price) + no,
                               yes + std::max(no, job.twins_no[question] + price));
  raise(job.bound[question], job.penalty + yes + no);
  raise(job.bound[question], std::min(job.fewer_levels, job.penalty + deep));
}

// A side lacks the rows of the other one, and has a level less than all rows had then.
void PairSearch::bound_by_all_rows(const Job& job, double small_weight,
                                   double large_weight, Bounds& small,
                                   Bounds& large) const {
  if (!params_.without_limits()) return;
  const double row_cost = params_.row_cost(job.levels - 1);
  raise(small.lower, job.fewer_levels - row_cost * large_weight);
  raise(large.lower, job.fewer_levels - row_cost * small_weight);
}

// The sides of a question are parts of its sides for the rows around.
void PairSearch::inherit(Job& job) const {
  if (job.around == nullptr || !params_.without_limits()) return;
  const Job& around = *job.around;
  const double row_cost = params_.row_cost(job.levels - 1);
  const double lacks = row_cost * (around.rows.weight - job.rows.weight);
  for (const std::size_t q : job.order) {
    double lacks_yes = 0;
    for (std::size_t k = 0; k < tables_.n_classes(); ++k)
      lacks_yes +=
          row_cost * tables_.groups().unit[k] *
          (tables_.both(around.rows, k, q, q) - tables_.both(job.rows, k, q, q));
    const double lacks_no = lacks - lacks_yes;
    raise(job.least_yes[q], around.least_yes[q] - lacks_yes);
    raise(job.least_no[q], around.least_no[q] - lacks_no);
    if (params_.row_cost_per_level != 0) continue;  // deeper, a row may cost more
    raise(job.any_yes[q], around.any_yes[q] - lacks_yes);
    raise(job.any_no[q], around.any_no[q] - lacks_no);
    raise(job.any_depth[q], job.penalty + job.any_yes[q] + job.any_no[q]);
  }
}

// Each side of every question lacks some rows of a side of this one.
void PairSearch::bound_others(Job& job, std::size_t question, Bounds yes, Bounds no) {
  if (!params_.without_limits()) return;
  const double row_cost = params_.row_cost(job.levels - 1);
  in_both_.assign(job.bound.size(), 0.0);
  in_other_.assign(job.bound.size(), 0.0);
  double in_this = 0;
  for (std::size_t k = 0; k < tables_.n_classes(); ++k) {
    const double unit = row_cost * tables_.groups().unit[k];
    in_this += unit * tables_.both(job.rows, k, question, question);
    for (const std::size_t q : job.order) {
      const auto [a, b] = std::minmax(q, question);
      in_both_[q] += unit * tables_.both(job.rows, k, a, b);
      in_other_[q] += unit * tables_.both(job.rows, k, q, q);
    }
  }
  for (const std::size_t q : job.order) {
    const double both = in_both_[q];
    const double this_alone = in_this - both, other_alone = in_other_[q] - both;
    const double neither = row_cost * job.rows.weight - in_this - other_alone;
    raise(job.least_yes[q], std::max(yes.lower - this_alone, no.lower - neither));
    raise(job.least_no[q], std::max(yes.lower - both, no.lower - other_alone));
    raise_bound(job, q);
    if (params_.row_cost_per_level != 0) continue;  // deeper, a row may cost more
    raise(job.any_yes[q], std::max(yes.any_depth - this_alone, no.any_depth - neither));
    raise(job.any_no[q], std::max(yes.any_depth - both, no.any_depth - other_alone));
    raise(job.any_depth[q], job.penalty + job.any_yes[q] + job.any_no[q]);
  }
}

}  // namespace dpdtree
