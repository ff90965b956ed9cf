#include "prove/cut_intervals.hpp"

#include <algorithm>
#include <cmath>

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kTold = 4;  // a difference that does not matter to others

}  // namespace

CutIntervals::CutIntervals(const ExactData& data, const RankedRows& rows, u32 ordering)
    : data_(&data), order_(&rows.order[ordering]), ordering_(ordering), n_(rows.n) {
  if (!data.weight.empty()) {
    weight_.resize(n_ + 1, 0.0);
    for (u32 i = 0; i < n_; ++i)
      weight_[i + 1] = weight_[i] + data.weight[(*order_)[i] & kRowMask];
  }
  if (rows.n_groups[ordering] < 2) return;
  IntervalEnd none, all;
  all.cut = n_;
  all.weight = weight(n_);
  open_.push_back({1, n_, none, all, 0});
}

namespace {

// One more row never costs less than nothing, nor more than that.
void raise(IntervalEnd& to, const IntervalEnd& from, const RowCosts& costs) {
  const bool right = from.cut <= to.cut;  // of the other one
  const double between = std::abs(to.weight - from.weight);
  const auto one = [&](double& grown, double known, double& shrunk, double known_more,
                       double cost) {
    grown = std::max(grown, known);
    if (std::isfinite(cost)) shrunk = std::max(shrunk, known_more - cost * between);
  };
  if (right) {
    one(to.left, from.left, to.right, from.right, costs.of_levels);
    one(to.any_left, from.any_left, to.any_right, from.any_right, costs.of_any_depth);
  } else {
    one(to.right, from.right, to.left, from.left, costs.of_levels);
    one(to.any_right, from.any_right, to.any_left, from.any_left, costs.of_any_depth);
  }
}

void raise_each_other(std::vector<IntervalEnd>& ends, const RowCosts& costs) {
  for (std::size_t i = 1; i < ends.size(); ++i) raise(ends[i], ends[i - 1], costs);
  for (std::size_t i = ends.size(); i-- > 1;) raise(ends[i - 1], ends[i], costs);
}

void raise_each_other(std::vector<Interval>& intervals, const RowCosts& costs) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i > 0) raise(intervals[i].lo, intervals[i - 1].hi, costs);
    raise(intervals[i].hi, intervals[i].lo, costs);
  }
  for (std::size_t i = intervals.size(); i-- > 0;) {
    if (i + 1 < intervals.size()) raise(intervals[i].hi, intervals[i + 1].lo, costs);
    raise(intervals[i].lo, intervals[i].hi, costs);
  }
}

// Both ascending; what is known of the same cut is put together.
std::vector<IntervalEnd> merged(const std::vector<IntervalEnd>& a,
                                const std::vector<IntervalEnd>& b) {
  std::vector<IntervalEnd> out;
  out.reserve(a.size() + b.size());
  const auto by_cut = [](const IntervalEnd& x, const IntervalEnd& y) {
    return x.cut < y.cut;
  };
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out), by_cut);
  std::size_t n = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (n > 0 && out[n - 1].cut == out[i].cut)
      raise(out[n - 1], out[i], {0, 0});
    else
      out[n++] = out[i];
  }
  out.resize(n);
  return out;
}

}  // namespace

// Searched for among the cuts from `least` to `most`.
u32 CutIntervals::cut_after(u32 rank, u32 least, u32 most) const {
  const std::vector<u32>& ranks = data_->rank[ordering_];
  const auto end =
      std::partition_point(order_->begin() + least, order_->begin() + most,
                           [&](u32 entry) { return ranks[entry & kRowMask] <= rank; });
  return static_cast<u32>(end - order_->begin());
}

u32 CutIntervals::open_cut(u32 rank) const {
  const u32 cut = cut_after(rank, 0, n_);
  const bool open = std::any_of(open_.begin(), open_.end(), [&](const Interval& i) {
    return i.first <= cut && cut < i.last;
  });
  return open ? cut : 0;
}

void CutIntervals::learn_from(const KnownCuts& from, bool inner,
                              const RowCosts& costs) {
  const u32 others = inner ? n_ - from.n : from.n - n_;
  std::vector<IntervalEnd> ends;
  for (const KnownCut& k : from.of[ordering_]) {
    const u32 cut =
        inner ? cut_after(k.rank, k.cut, std::min(n_, k.cut + others))
              : cut_after(k.rank, k.cut - std::min(others, k.cut), std::min(n_, k.cut));
    if (cut == 0 || cut == n_) continue;
    IntervalEnd end;
    end.cut = cut;
    end.weight = weight(cut);
    const double left = inner ? 0 : k.weight - end.weight;
    const double right = inner ? 0 : from.weight - k.weight - (weight(n_) - end.weight);
    const auto less = [&](double bound, double cost, double exceeds) {
      if (inner) return bound;
      return std::isfinite(cost) ? std::max(0.0, bound - cost * exceeds) : 0.0;
    };
    end.left = less(k.left, costs.of_levels, left);
    end.right = less(k.right, costs.of_levels, right);
    end.any_left = less(k.any_left, costs.of_any_depth, left);
    end.any_right = less(k.any_right, costs.of_any_depth, right);
    ends.push_back(end);
  }
  known_ = merged(known_, ends);
}

void CutIntervals::learn(const KnownCuts* inner, const KnownCuts* outer,
                         const RowCosts& costs) {
  if (open_.empty()) return;
  if (inner != nullptr) learn_from(*inner, true, costs);
  if (outer != nullptr) learn_from(*outer, false, costs);
  raise_each_other(known_, costs);
  open_between_known();
}

// The known cuts themselves are open, too.
void CutIntervals::open_between_known() {
  const Interval all = open_.front();
  open_.clear();
  Interval next = all;
  for (const IntervalEnd& end : known_) {
    next.last = end.cut;
    next.hi = end;
    if (next.first < next.last) open_.push_back(next);
    next.first = end.cut;
    next.lo = end;
  }
  next.last = all.last;
  next.hi = all.hi;
  open_.push_back(next);
}

// Those that the others do not tell as well.
std::vector<KnownCut> CutIntervals::known(const RowCosts& costs) const {
  std::vector<IntervalEnd> ends = known_;
  raise_each_other(ends, costs);
  std::vector<KnownCut> out;
  const IntervalEnd* kept = nullptr;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const IntervalEnd& e = ends[i];
    if (kept != nullptr && i + 1 < ends.size()) {
      IntervalEnd told;
      told.cut = e.cut;
      told.weight = e.weight;
      raise(told, *kept, costs);
      raise(told, ends[i + 1], costs);
      if (e.left + e.right <= told.left + told.right + kTold) continue;
    }
    kept = &e;
    out.push_back(
        {rank(e.cut), e.cut, e.weight, e.left, e.right, e.any_left, e.any_right});
  }
  return out;
}

double CutIntervals::least_bound() const {
  double least = kInf;
  for (const Interval& i : open_) least = std::min(least, i.bound);
  return least;
}

void CutIntervals::set_whole(const IntervalEnd& whole) {
  for (Interval& i : open_) {
    if (i.lo.cut == 0) {
      i.lo.right = std::max(i.lo.right, whole.right);
      i.lo.any_right = std::max(i.lo.any_right, whole.any_right);
    }
    if (i.hi.cut == n_) {
      i.hi.left = std::max(i.hi.left, whole.left);
      i.hi.any_left = std::max(i.hi.any_left, whole.any_left);
    }
  }
}

void CutIntervals::trim(Interval& i) const {
  while (i.first < i.last && !possible(i.first)) ++i.first;
  while (i.first < i.last && !possible(i.last - 1)) --i.last;
}

// The first cut of the interval with more weight than w on its left, or at least w.
u32 CutIntervals::first_above(const Interval& i, double w, bool strictly) const {
  if (!weight_.empty()) {
    const auto begin = weight_.begin() + i.first, end = weight_.begin() + i.last;
    const auto it =
        strictly ? std::upper_bound(begin, end, w) : std::lower_bound(begin, end, w);
    return static_cast<u32>(it - weight_.begin());
  }
  const double cut = strictly ? std::floor(w) + 1 : std::ceil(w);
  return static_cast<u32>(
      std::clamp(cut, static_cast<double>(i.first), static_cast<double>(i.last)));
}

namespace {

// The sides of two ends: the smaller ones, and both of the larger ones.
struct EndSides {
  double lo_left, lo_right, hi_left, hi_right;
};

double bound_of(const Interval& i, const EndSides& e, const CloseParams& p) {
  double bound = p.penalty + std::min(std::max(e.lo_left, p.deep) + e.hi_right,
                                      e.lo_left + std::max(e.hi_right, p.deep));
  if (std::isfinite(p.row_cost))
    bound = std::max(bound, p.penalty + e.hi_left + e.lo_right -
                                p.row_cost * (i.hi.weight - i.lo.weight));
  return bound;
}

double bound_of_any_depth(const Interval& i, const CloseParams& p) {
  return bound_of(i, {i.lo.any_left, i.lo.any_right, i.hi.any_left, i.hi.any_right}, p);
}

// How much rows have to cost until something better may be beyond a cut, moving so that
// one side grows. A negative number: it may be right there.
double reach(double growing, double shrinking, const CloseParams& p) {
  const double room = p.target - p.penalty;
  const double grown = std::max(growing, p.deep) + shrinking - room;
  if (growing + p.deep >= room) return grown;
  return std::min(grown, growing + shrinking - room);
}

}  // namespace

// Near its ends, by the cost of a row.
void CutIntervals::shrink(Interval& i, const CloseParams& p) {
  const double lo = reach(i.lo.left, i.lo.right, p);
  const double hi = reach(i.hi.right, i.hi.left, p);
  if (lo < 0 && hi < 0) return;
  const double any = bound_of_any_depth(i, p);
  if (lo >= 0) {
    i.first = first_above(i, i.lo.weight + lo / p.row_cost, true);
    const double less = i.lo.left - i.lo.any_left + i.lo.right - i.lo.any_right;
    any_depth = std::min(any_depth, std::max(any, p.target - less));
  }
  if (hi >= 0) {
    i.last = first_above(i, i.hi.weight - hi / p.row_cost, false);
    const double less = i.hi.left - i.hi.any_left + i.hi.right - i.hi.any_right;
    any_depth = std::min(any_depth, std::max(any, p.target - less));
  }
}

void CutIntervals::close(const CloseParams& p) {
  const auto closed = [&](Interval& i) {
    if (std::isfinite(p.row_cost)) shrink(i, p);
    trim(i);
    if (i.first >= i.last) return true;
    i.bound = bound_of(i, {i.lo.left, i.lo.right, i.hi.left, i.hi.right}, p);
    if (std::max(i.bound, p.floor) < p.target) return false;
    any_depth = std::min(any_depth, bound_of_any_depth(i, p));
    return true;
  };
  std::erase_if(open_, closed);
}

// The possible cut closest to so much weight on the left.
u32 CutIntervals::nearest(const Interval& i, double wanted) const {
  u32 cut;
  if (weight_.empty()) {
    cut = static_cast<u32>(wanted);
  } else {
    const auto it =
        std::lower_bound(weight_.begin() + i.first, weight_.begin() + i.last, wanted);
    cut = static_cast<u32>(it - weight_.begin());
  }
  cut = std::clamp(cut, i.first, i.last - 1);
  u32 up = cut, down = cut;
  while (!possible(up) && !possible(down)) {
    if (up + 1 < i.last) ++up;
    if (down > i.first) --down;
  }
  return possible(down) ? down : up;
}

u32 CutIntervals::least_bounded() const {
  const Interval& i = *std::min_element(
      open_.begin(), open_.end(),
      [](const Interval& x, const Interval& y) { return x.bound < y.bound; });
  return nearest(i, 0.5 * (weight(i.first - 1) + weight(i.last)));
}

// Cuts per interval in proportion to its width, evenly inside it. Where there are more
// intervals than cuts some get none: their turn comes if the others' cuts do not help.
std::vector<u32> CutIntervals::spread(std::size_t most, u32 wanted) const {
  if (wanted > 0) --most;
  double whole = 0;
  for (const Interval& i : open_) whole += width(i);
  std::vector<u32> cuts;
  double before = 0;
  const double share = static_cast<double>(most) / whole;
  for (const Interval& i : open_) {
    const double from = std::floor(before * share + 0.5);
    before += width(i);
    const double n = std::floor(before * share + 0.5) - from;
    const double w0 = weight(i.first - 1);
    for (u32 j = 1; j <= static_cast<u32>(n); ++j) {
      const u32 cut = nearest(i, w0 + width(i) * static_cast<double>(j) / (n + 1));
      if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
    }
  }
  if (wanted > 0) {
    const auto at = std::lower_bound(cuts.begin(), cuts.end(), wanted);
    if (at == cuts.end() || *at != wanted) cuts.insert(at, wanted);
  }
  // Weights that get lost beside a large one make intervals without any width.
  if (cuts.empty()) cuts.push_back(least_bounded());
  return cuts;
}

const Interval& CutIntervals::around(u32 cut) const {
  return *std::find_if(open_.begin(), open_.end(), [&](const Interval& i) {
    return i.first <= cut && cut < i.last;
  });
}

void CutIntervals::divide(const std::vector<IntervalEnd>& evaluated,
                          const RowCosts& costs) {
  std::vector<Interval> next;
  next.reserve(open_.size() + evaluated.size());
  auto e = evaluated.begin();
  for (const Interval& i : open_) {
    Interval rest = i;
    for (; e != evaluated.end() && e->cut < i.last; ++e) {
      Interval before = rest;
      before.last = rest.first = e->cut;
      before.hi = rest.lo = *e;
      ++rest.first;
      next.push_back(std::move(before));
    }
    next.push_back(std::move(rest));
  }
  open_ = std::move(next);
  raise_each_other(open_, costs);
  std::vector<IntervalEnd> ends = evaluated;
  for (IntervalEnd& end : ends) end.solved = nullptr;
  known_ = merged(known_, ends);
}

}  // namespace dpdtree
