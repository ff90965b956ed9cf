// Cuts whose sides have two levels and more: each side is a search of its own. At the
// root of a proof some cuts of different features are evaluated at once, every side by
// a helper that has its own memory. Which cuts these are, and what a helper has seen
// before, does not depend on the number of threads.
#include <cmath>
#include <utility>

#include "base/thread_pool.hpp"
#include "prove/interval_job.hpp"

namespace dpdtree {

struct IntervalSearch::DeepCut {
  CutIntervals* f;
  u32 cut;
  std::shared_ptr<SolvedCut> solved = std::make_shared<SolvedCut>();
  std::array<Neighbours, 2> near = {};
  std::array<bool, 2> known = {};  // by the neighbours alone

  Solved& side(std::size_t i) const { return i == 0 ? solved->left : solved->right; }
};

Neighbours IntervalSearch::neighbours_of(const Job& job, const CutIntervals& f, u32 cut,
                                         bool right) const {
  const Interval& i = f.around(cut);
  const auto solved_at = [&](const IntervalEnd& end) -> const Solved* {
    const auto& both =
        end.solved || (end.cut > 0 && end.cut < job.rows.n) ? end.solved : job.whole;
    if (both == nullptr || (end.cut == 0 && !right) || (end.cut == job.rows.n && right))
      return nullptr;
    return right ? &both->right : &both->left;
  };
  const IntervalEnd &in = right ? i.hi : i.lo, &out = right ? i.lo : i.hi;
  return {solved_at(in), solved_at(out), std::abs(f.weight(cut) - in.weight),
          std::abs(f.weight(cut) - out.weight)};
}

IntervalSearch::DeepCut IntervalSearch::begin_cut(const Job& job, CutIntervals& f,
                                                  u32 cut) const {
  DeepCut out{&f, cut};
  for (const bool right : {false, true}) {
    out.near[right] = neighbours_of(job, f, cut, right);
    out.known[right] = settled(out.near[right], job.levels - 1, out.side(right));
  }
  return out;
}

void IntervalSearch::divide_at(const Job& job, const DeepCut& c, Sides& rows) {
  if (c.known[0] && c.known[1]) return;
  const auto& order = job.rows.order[c.f->ordering()];
  for (u32 k = 0; k < job.rows.n; ++k) side_of_[order[k] & kRowMask] = k >= c.cut;
  divide_rows(data_, job.rows, side_of_, c.known[0] ? nullptr : &rows[0],
              c.known[1] ? nullptr : &rows[1]);
}

void IntervalSearch::solve_side(const Job& job, const DeepCut& c, std::size_t side,
                                const RankedRows& rows) {
  if (c.known[side]) return;
  const u64 leaves = side == 0 ? job.left_leaves : job.right_leaves;
  c.side(side) = solve(rows, job.levels - 1, leaves, c.near[side]);
}

void IntervalSearch::end_cut(Job& job, const DeepCut& c) const {
  const IntervalEnd end = end_of(c.cut, c.f->weight(c.cut), c.solved);
  consider(job, *c.f, end, c.solved->left.value, c.solved->right.value);
  c.f->divide({end}, row_costs(job.levels - 1));
}

void IntervalSearch::evaluate_deep(Job& job, CutIntervals& f, u32 cut) {
  const DeepCut c = begin_cut(job, f, cut);
  if (sides_.size() <= job.levels) sides_.resize(job.levels + 1);
  // Taken out while in use: deeper levels may grow the vector.
  Sides rows = std::move(sides_[job.levels]);
  divide_at(job, c, rows);
  for (const std::size_t side : {0, 1}) solve_side(job, c, side, rows[side]);
  sides_[job.levels] = std::move(rows);
  end_cut(job, c);
}

void IntervalSearch::make_helpers() {
  if (!helpers_.empty()) return;
  for (std::size_t i = 0; i < 2 * kCutsAtOnce; ++i)
    helpers_.push_back(
        std::unique_ptr<IntervalSearch>(new IntervalSearch(*this, AsHelper{})));
  root_sides_.resize(kCutsAtOnce);
}

void IntervalSearch::evaluate_at_once(Job& job, std::span<CutIntervals* const> next) {
  make_helpers();
  std::vector<DeepCut> cuts;
  for (CutIntervals* f : next) cuts.push_back(begin_cut(job, *f, f->least_bounded()));
  const auto for_each = [&](std::size_t n, const ThreadPool::Task& task) {
    if (pool_ != nullptr) return pool_->parallel_for(n, task);
    for (std::size_t i = 0; i < n; ++i) task(i, 0);
  };
  for_each(cuts.size(), [&](std::size_t i, unsigned) {
    helpers_[2 * i]->divide_at(job, cuts[i], root_sides_[i]);
  });
  for_each(2 * cuts.size(), [&](std::size_t i, unsigned) {
    helpers_[i]->solve_side(job, cuts[i / 2], i % 2, root_sides_[i / 2][i % 2]);
  });
  for (const auto& helper : helpers_)
    evaluations_ += std::exchange(helper->evaluations_, 0);
  for (const DeepCut& c : cuts) end_cut(job, c);
}

}  // namespace dpdtree
