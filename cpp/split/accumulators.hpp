// One accumulator per kind of target and criterion: it walks the rows of a node in the
// order of one feature and writes the boundaries. Interface:
//
// * start(left_stats, left_n): begin with these rows on the left, or with none.
// * add_class(k), add_row(r), add_cell(cells, c): move one row, or all rows of a code.
// * emit(b, j): write boundary j.
// * best(b, lo, hi, floor): the best boundary in [lo, hi) that beats the floor.
// * decrease(score): of the criterion's impurity sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "loss/entropy.hpp"
#include "loss/targets.hpp"
#include "simd/dispatch.hpp"
#include "split/left_sums.hpp"
#include "split/score.hpp"

namespace dpdtree {

// Sums of targets (numbers, or 0 and 1 of two classes) and weights on both sides.
struct SideSums {
  double left_sum, left_weight, right_sum, right_weight;
};

// Aggregates of the rows of every code of a column.
struct CodeHistogram {
  std::vector<u32> count;      // classes, unweighted: n_codes × n_classes; else n_codes
  std::vector<double> sum;     // classes: n_codes × n_classes weights; regression: Σwy;
                               // general targets: n_codes × stats_width
  std::vector<double> weight;  // regression, weighted
};

// How many entries of `sum` a code has at most.
inline std::size_t cell_width(const Targets& t) {
  return t.general ? t.stats_width() : std::max(1u, t.n_classes);
}

// Adds what is known of a cell to statistics; returns its number of rows.
inline u32 add_cell_to(double* stats, const Targets& t, const CodeHistogram& cells,
                       u32 c) {
  if (t.general || (t.classification() && t.weighted())) {
    const std::size_t width = t.stats_width();
    for (std::size_t i = 0; i < width; ++i) stats[i] += cells.sum[c * width + i];
    return cells.count[c];
  }
  if (!t.classification()) {
    stats[0] += t.weighted() ? cells.weight[c] : cells.count[c];
    stats[1] += cells.sum[c];
    return cells.count[c];
  }
  u32 n = 0;
  for (u32 k = 0; k < t.n_classes; ++k) {
    const u32 m = cells.count[std::size_t{c} * t.n_classes + k];
    stats[k] += m;
    n += m;
  }
  return n;
}

// Two classes with Gini, or regression with squared error: both are maximal where
// (s·W − S·w)² / (w·(W−w)) is, with s the sum of (0/1 or real) targets on the left.
// Integers (unweighted classes) keep the sums exact.
template <bool Weighted, bool Binary>
class PrefixAccumulator {
 public:
  static constexpr bool kInteger = Binary && !Weighted;
  static constexpr bool kWeighted = Weighted;
  static constexpr bool kHasCorners = Binary;
  static constexpr bool kMajorityFromPrefix = Binary;

  PrefixAccumulator(const Targets& t, std::span<const double> stats)
      : t_(&t), total_s_(stats[1]), total_w_(Binary ? stats[0] + stats[1] : stats[0]) {}

  void start(const double* left, u32 n) {
    s_ = left != nullptr ? left[1] : 0;
    w_ = left == nullptr ? 0 : (Binary ? left[0] + left[1] : left[0]);
    n_ = static_cast<i32>(n);
    if constexpr (kInteger) c_ = static_cast<i32>(s_);
  }
  void add_class(u32 k) {
    c_ += static_cast<i32>(k);
    ++n_;
  }
  void add_row(Row r) {
    if constexpr (kInteger) return add_class(t_->label[r]);
    const double w = Weighted ? t_->weight[r] : 1.0;
    if constexpr (Binary)
      s_ += w * static_cast<double>(t_->label[r]);
    else
      s_ += Weighted ? t_->moment(w, t_->y[r]) : t_->y[r];
    w_ += w;
    ++n_;
  }
  void add_cell(const CodeHistogram& cells, u32 c) {
    if constexpr (kInteger) {
      c_ += static_cast<i32>(cells.count[2 * c + 1]);
      n_ += static_cast<i32>(cells.count[2 * c] + cells.count[2 * c + 1]);
    } else {
      const i32 n = static_cast<i32>(cells.count[c]);
      n_ += n;
      s_ += Binary ? cells.sum[2 * c + 1] : cells.sum[c];
      if constexpr (Binary)
        w_ += cells.sum[2 * c] + cells.sum[2 * c + 1];
      else
        w_ += Weighted ? cells.weight[c] : n;
    }
  }
  void emit(LeftSums& b, std::size_t j) const {
    b.n[j] = n_;
    if constexpr (kInteger) {
      b.count[j] = c_;
    } else {
      b.a[j] = s_;
      b.w[j] = w_;
    }
  }
  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    const double S = total_s_, W = total_w_;
    if constexpr (kInteger) {
      const i32 *c = b.count.data(), *w = b.n.data();
      return best_quotient(
          lo, hi, floor,
          [=, f = kernels().ratio.counts](std::size_t i, std::size_t n, double limit,
                                          double* num, double* den) {
            return f(c + i, w + i, n, S, W, limit, num, den);
          });
    } else {
      const double *s = b.a.data(), *w = b.w.data();
      return best_quotient(
          lo, hi, floor,
          [=, f = kernels().ratio.sums](std::size_t i, std::size_t n, double limit,
                                        double* num, double* den) {
            return f(s + i, w + i, n, S, W, limit, num, den);
          });
    }
  }
  double score(const LeftSums& b, std::size_t i) const {
    const SideSums x = sides(b, i);
    const double d = x.left_sum * total_w_ - total_s_ * x.left_weight;
    return d * d / (x.left_weight * x.right_weight);
  }
  SideSums sides(const LeftSums& b, std::size_t i) const {
    const double s = kInteger ? static_cast<double>(b.count[i]) : b.a[i];
    const double w = kInteger ? static_cast<double>(b.n[i]) : b.w[i];
    return {s, w, total_s_ - s, total_w_ - w};
  }
  // Largest weight that two leaves, left and right of one boundary, get right.
  double most_correct(const LeftSums& b, std::size_t lo, std::size_t hi) const {
    if constexpr (kInteger)
      return most_correct_of(b.count.data(), b.n.data(), lo, hi);
    else
      return most_correct_of(b.a.data(), b.w.data(), lo, hi);
  }
  double decrease(double score) const {
    return (Binary ? 2 * score : score) / total_w_;
  }
  static constexpr double kLeastScore = -1;  // zero-gain splits are allowed

 private:
  template <class Number>  // whole numbers vectorise best
  double most_correct_of(const Number* s, const Number* w, std::size_t lo,
                         std::size_t hi) const {
    const auto S = static_cast<Number>(total_s_), W = static_cast<Number>(total_w_);
    Number most = 0;
    for (std::size_t i = lo; i < hi; ++i) {
      const Number left = std::max(s[i], w[i] - s[i]);
      const Number right = std::max(S - s[i], (W - w[i]) - (S - s[i]));
      most = std::max(most, left + right);
    }
    return static_cast<double>(most);
  }

  const Targets* t_;
  double total_s_, total_w_;
  double s_ = 0, w_ = 0;
  i32 n_ = 0, c_ = 0;
};

// Class counts on the left, for any number of classes.
template <bool Weighted>
class ClassCounts {
 public:
  static constexpr bool kWeighted = Weighted;
  ClassCounts(const Targets& t, std::span<const double> stats)
      : t_(&t), total_(stats), left_(stats.size()), total_w_(t.total_weight(stats)) {}

  void start(const double* left, u32 n) {
    for (std::size_t k = 0; k < left_.size(); ++k)
      left_[k] = left != nullptr ? left[k] : 0;
    n_ = static_cast<i32>(n);
    w_ = 0;
    for (const double c : left_) w_ += c;
  }
  double weight_of(Row r) const { return Weighted ? t_->weight[r] : 1.0; }

 protected:
  const Targets* t_;
  std::span<const double> total_;
  std::vector<double> left_;
  double total_w_;
  double w_ = 0;
  i32 n_ = 0;
};

// The sums of squares of both sides, added up afresh.
template <class Number>
void write_squares(const std::vector<Number>& left, std::span<const double> total,
                   LeftSums& b, std::size_t j) {
  double of_left = 0, of_right = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    const double l = left[k], r = total[k] - l;
    of_left += l * l;
    of_right += r * r;
  }
  b.a[j] = of_left;
  b.b[j] = of_right;
}

// Gini for three and more weighted classes: Σc² of both sides, updated in O(1) per row.
// Of weights that are no whole numbers that takes rounding, and depends on the way it
// was reached: of a few classes it is added up afresh then, if that removes rounding's
// trace.
class GiniAccumulator : public ClassCounts<true> {
 public:
  static constexpr bool kMajorityFromPrefix = false;
  using Base = ClassCounts<true>;
  GiniAccumulator(const Targets& t, std::span<const double> stats)
      : Base(t, stats), afresh_(adds_afresh(t)) {}

  static bool adds_afresh(const Targets& t) {
    constexpr u32 kMostClasses = 8;
    return t.exact_weights && !t.whole_weights && t.n_classes <= kMostClasses;
  }
  void start(const double* left, u32 n) {
    Base::start(left, n);
    a_ = b_ = largest_ = 0;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const double l = left_[k], r = total_[k] - l;
      a_ += l * l;
      b_ += r * r;
      largest_ = std::max(largest_, l);
    }
  }
  void move(u32 k, double w) {
    double& l = left_[k];
    const double r = total_[k] - l;
    a_ += w * (2 * l + w);
    b_ -= w * (2 * r - w);
    l += w;
    w_ += w;
    largest_ = std::max(largest_, l);
  }
  void add_class(u32 k) {
    move(k, 1.0);
    ++n_;
  }
  void add_row(Row r) {
    move(t_->label[r], weight_of(r));
    ++n_;
  }
  void add_cell(const CodeHistogram& cells, u32 c) {
    const std::size_t k_max = left_.size();
    const std::size_t first = c * k_max;
    for (std::size_t k = 0; k < k_max; ++k)
      if (cells.sum[first + k] > 0) move(static_cast<u32>(k), cells.sum[first + k]);
    n_ += static_cast<i32>(cells.count[c]);
  }
  void emit(LeftSums& b, std::size_t j) const {
    b.n[j] = n_;
    b.w[j] = w_;
    b.a[j] = a_;
    b.b[j] = b_;
    b.majority[j] = largest_;
    if (afresh_) write_squares(left_, total_, b, j);
  }
  double largest_left() const { return largest_; }
  double largest_right() const {
    double largest = 0;
    for (std::size_t k = 0; k < left_.size(); ++k)
      largest = std::max(largest, total_[k] - left_[k]);
    return largest;
  }
  BestBoundary best(const LeftSums& bounds, std::size_t lo, std::size_t hi,
                    double floor) const {
    const double W = total_w_;
    const double *a = bounds.a.data(), *b = bounds.b.data(), *w = bounds.w.data();
    return best_ratio(lo, hi, floor, [=](std::size_t i, double& num, double& den) {
      const double r = W - w[i];
      num = a[i] * r + b[i] * w[i];
      den = w[i] * r;
    });
  }
  // No split raises it. Beside heavy rows rounding would make some of those that gain
  // next to nothing look as if they did, and an exhaustive search by another loss needs
  // them.
  double decrease(double score) const {
    double squares = 0;
    for (const double c : total_) squares += c * c;
    return std::max(0.0, score - squares / total_w_);
  }
  static constexpr double kLeastScore = -1;

 private:
  bool afresh_;
  double a_ = 0, b_ = 0, largest_ = 0;
};

// Entropy: the score is computed in full at every boundary, since sums of logarithms
// updated row by row would drift. It is rounded to a grid above the rounding of
// logarithms, so that splits that are equally good stay so in any order of the sum.
template <bool Weighted>
class EntropyAccumulator : public ClassCounts<Weighted> {
 public:
  static constexpr bool kMajorityFromPrefix = false;
  using Base = ClassCounts<Weighted>;

  EntropyAccumulator(const Targets& t, std::span<const double> stats)
      : Base(t, stats), on_grid_(grid_of(this->total_w_)) {}

  void add_class(u32 k) {
    this->left_[k] += 1;
    this->w_ += 1;
    ++this->n_;
  }
  void add_row(Row r) {
    const double w = this->weight_of(r);
    this->left_[this->t_->label[r]] += w;
    this->w_ += w;
    ++this->n_;
  }
  void add_cell(const CodeHistogram& cells, u32 c) {
    const std::size_t k_max = this->left_.size();
    for (std::size_t k = 0; k < k_max; ++k) {
      const double w = Weighted ? cells.sum[c * k_max + k] : cells.count[c * k_max + k];
      this->left_[k] += w;
      this->w_ += w;
      if constexpr (!Weighted) this->n_ += static_cast<i32>(cells.count[c * k_max + k]);
    }
    if constexpr (Weighted) this->n_ += static_cast<i32>(cells.count[c]);
  }
  void emit(LeftSums& b, std::size_t j) const {
    double sum = 0, largest = 0;
    for (std::size_t k = 0; k < this->left_.size(); ++k) {
      sum += term(this->left_[k]) + term(this->total_[k] - this->left_[k]);
      largest = std::max(largest, this->left_[k]);
    }
    b.n[j] = this->n_;
    b.w[j] = this->w_;
    sum = sum - term(this->w_) - term(this->total_w_ - this->w_);
    b.a[j] = (sum + on_grid_) - on_grid_;
    b.b[j] = this->left_.back();
    b.majority[j] = largest;
  }
  SideSums sides(const LeftSums& b, std::size_t i) const {  // of two classes
    return {b.b[i], b.w[i], this->total_.back() - b.b[i], this->total_w_ - b.w[i]};
  }
  BestBoundary best(const LeftSums& b, std::size_t lo, std::size_t hi,
                    double floor) const {
    BestBoundary best{BestBoundary::kNone, floor};
    for (std::size_t i = lo; i < hi; ++i)
      if (b.a[i] > best.score) best = {i, b.a[i], 0};
    return best;
  }
  // No split raises the entropy. The grid would make some of those that gain nothing
  // look as if they did, and a search needs them: on a checkerboard they are all it
  // has.
  double decrease(double score) const {
    const double gain = score + LogLoss::impurity_sum(this->total_);
    return std::max(0.0, gain) / std::numbers::ln2;
  }
  static constexpr double kLeastScore = -1e300;

 private:
  // Adding this number, and taking it away, leaves multiples of weight · 2^-40.
  static double grid_of(double weight) {
    return std::ldexp(1.5, std::ilogb(weight) + 52 - 40);
  }

  // The table holds exactly what xlogx gives, so both ways lead to the same splits.
  double term(double x) const {
    if constexpr (Weighted) return xlogx(x);
    const auto i = static_cast<std::size_t>(x);
    const std::vector<double>& table = this->t_->xlogx_table;
    return i < table.size() ? table[i] : xlogx(x);
  }

  double on_grid_;
};

}  // namespace dpdtree
