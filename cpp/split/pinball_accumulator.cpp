#include "split/pinball_accumulator.hpp"

#include <algorithm>

namespace dpdtree {

ShrinkingSet::ShrinkingSet(std::vector<RankedTarget>& targets, double level)
    : t_(targets), level_(level) {
  u32 last = kNone;
  for (u32 i = 0; i < t_.size(); ++i) {
    RankedTarget& target = t_[i];
    if (target.n == 0) continue;
    target.before = last;
    target.after = kNone;
    if (last != kNone)
      t_[last].after = i;
    else
      at_ = i;
    last = i;
    w_ += target.w;
    wy_ += target.w * target.y;
  }
  if (at_ != kNone) settle();
}

void ShrinkingSet::remove(u32 rank, double weight) {
  RankedTarget& target = t_[rank];
  target.w -= weight;
  --target.n;
  w_ -= weight;
  wy_ -= weight * target.y;
  if (rank < at_) {
    below_w_ -= weight;
    below_wy_ -= weight * target.y;
  }
  if (target.n == 0) unlink(rank);
  if (at_ != kNone) settle();
}

void ShrinkingSet::unlink(u32 rank) {
  const RankedTarget& target = t_[rank];
  if (target.before != kNone) t_[target.before].after = target.after;
  if (target.after != kNone) t_[target.after].before = target.before;
  if (rank != at_) return;
  if (target.after != kNone)
    at_ = target.after;
  else if (target.before != kNone)
    step_down();
  else
    at_ = kNone;
}

void ShrinkingSet::step_up() {
  below_w_ += t_[at_].w;
  below_wy_ += t_[at_].w * t_[at_].y;
  at_ = t_[at_].after;
}

void ShrinkingSet::step_down() {
  at_ = t_[at_].before;
  below_w_ -= t_[at_].w;
  below_wy_ -= t_[at_].w * t_[at_].y;
}

void ShrinkingSet::settle() {
  const double wanted = level_ * w_;
  while (below_w_ + t_[at_].w < wanted && t_[at_].after != kNone) step_up();
  while (below_w_ > wanted && t_[at_].before != kNone) step_down();
}

double ShrinkingSet::loss() const {
  if (at_ == kNone) return 0;
  const double y = t_[at_].y;
  const double below = y * below_w_ - below_wy_;
  const double above = (wy_ - below_wy_) - y * (w_ - below_w_);
  return std::max(0.0, (1 - level_) * below + level_ * above);
}

void PinballAccumulator::emit(LeftSums& b, std::size_t j) {
  b.n[j] = static_cast<i32>(order_.size());
  b.w[j] = w_;
  b.majority[j] = 0;
  if (!t_.log_sums()) return;
  bool allowed = t_.may_be_leaf(left_, total_);
  std::vector<double> right(total_.begin(), total_.end());
  for (std::size_t i = 0; i < right.size(); ++i) right[i] -= left_[i];
  allowed = allowed && t_.may_be_leaf(right, total_);
  b.b[j] = allowed ? 0 : 1;
}

void PinballAccumulator::finish(LeftSums& b, std::size_t lo, std::size_t hi) {
  for (std::size_t j = lo; j < hi; ++j) b.a[j] = 0;
  for (const RankedOutput& output : ranked_.outputs()) add_losses(output, b, lo, hi);
  for (std::size_t j = lo; j < hi; ++j) {
    b.a[j] *= loss_.factor;
    if (t_.log_sums() && b.b[j] != 0) b.a[j] = kLeastScore;
  }
}

void PinballAccumulator::load_order(const RankedOutput& output) {
  set_ = output.targets;
  std::size_t n_all = 0;
  for (RankedTarget& target : set_) {
    n_all += target.n;
    target.n = 0;
  }
  if (n_all == order_.size()) {  // all rows of the node
    for (std::size_t i = 0; i < set_.size(); ++i) set_[i].n = output.targets[i].n;
    return;
  }
  for (RankedTarget& target : set_) target.w = 0;
  for (const Row r : order_) {
    RankedTarget& target = set_[output.rank[r]];
    target.w += t_.weight_of(r);
    ++target.n;
  }
}

// Adds the decreases of the loss of one output.
void PinballAccumulator::add_losses(const RankedOutput& output, LeftSums& b,
                                    std::size_t lo, std::size_t hi) {
  const auto take = [&](ShrinkingSet& set, std::size_t i) {
    set.remove(output.rank[order_[i]], t_.weight_of(order_[i]));
  };
  set_ = output.targets;
  ShrinkingSet right(set_, loss_.level);
  const double whole = right.loss();
  std::size_t taken = 0;
  for (std::size_t j = lo; j < hi; ++j) {
    while (taken < static_cast<std::size_t>(b.n[j])) take(right, taken++);
    b.a[j] += whole - right.loss();
  }
  load_order(output);
  ShrinkingSet left(set_, loss_.level);
  taken = order_.size();
  for (std::size_t j = hi; j-- > lo;) {
    while (taken > static_cast<std::size_t>(b.n[j])) take(left, --taken);
    b.a[j] -= left.loss();
  }
}

}  // namespace dpdtree
