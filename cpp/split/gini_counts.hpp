// Gini of three and more unweighted classes: sums of whole numbers, so that a row costs
// a few additions and no sum depends on the way it was reached.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "simd/dispatch.hpp"
#include "split/accumulators.hpp"
#include "split/scan.hpp"

namespace dpdtree {

class GiniCounts {
 public:
  static constexpr bool kInteger = true;
  static constexpr bool kMajorityFromPrefix = false;
  static constexpr double kLeastScore = -1;

  GiniCounts(const Targets& t, std::span<const double> stats)
      : targets_(&t), left_(stats.size()), total_(stats) {
    for (const double count : stats) {
      n_all_ += count;
      squares_ += count * count;
    }
  }

  void start(const double* left, u32 n) {
    for (std::size_t k = 0; k < left_.size(); ++k)
      left_[k] = left != nullptr ? static_cast<i32>(left[k]) : 0;
    n_ = static_cast<i32>(n);
  }
  void add_class(u32 k) {
    ++left_[k];
    ++n_;
  }
  void add_row(Row r) { add_class(targets_->label[r]); }
  void add_cell(const CodeHistogram& cells, u32 c) {
    const u32* count = cells.count.data() + c * left_.size();
    for (std::size_t k = 0; k < left_.size(); ++k) {
      left_[k] += static_cast<i32>(count[k]);
      n_ += static_cast<i32>(count[k]);
    }
  }
  // `a` and `b` are the sums of squares of both sides.
  void emit(LeftSums& b, std::size_t j) const {
    b.n[j] = n_;
    write_squares(left_, total_, b, j);
  }
  // All of it for keys, where a step changes one class only, …
  void scan(const KeySource& source, std::size_t end, LeftSums& b);
  // … and for cells, a class after the other.
  void scan(const CellSource& source, std::size_t end, LeftSums& b) const {
    scan_cells(source, end, counts_errors, b);
  }

  bool counts_errors = false;  // scans of cells write `count`, as CountsOfErrors do

  BestBoundary best(const LeftSums& bounds, std::size_t lo, std::size_t hi,
                    double floor) const {
    const double *a = bounds.a.data(), *b = bounds.b.data(), W = n_all_;
    const i32* w = bounds.n.data();
    return best_quotient(
        lo, hi, floor,
        [=, f = kernels().ratio.squares](std::size_t i, std::size_t n, double limit,
                                         double* num, double* den) {
          return f(a + i, b + i, w + i, n, W, limit, num, den);
        });
  }
  double score(const LeftSums& b, std::size_t i) const {
    const double w = b.n[i], r = n_all_ - w;
    return (b.a[i] * r + b.b[i] * w) / (w * r);
  }
  double decrease(double score) const { return score - squares_ / n_all_; }

 protected:
  void scan_cells(const CellSource& source, std::size_t end, bool errors,
                  LeftSums& b) const;

  const Targets* targets_;
  std::vector<i32> left_;
  std::span<const double> total_;
  double n_all_ = 0, squares_ = 0;
  i32 n_ = 0;
};

inline void GiniCounts::scan(const KeySource& source, std::size_t end, LeftSums& b) {
  const u32* keys = source.keys.data();
  const u32 bits = source.class_bits, mask = (1u << bits) - 1;
  std::vector<i64> twice(left_.size());
  emit(b, 0);
  auto here = static_cast<i64>(b.a[0]), beyond = static_cast<i64>(b.b[0]);
  for (std::size_t k = 0; k < twice.size(); ++k)
    twice[k] = 2 * static_cast<i64>(total_[k]);
  i32* count = left_.data();
  const i64* two = twice.data();
  i32 *n = b.n.data(), at = n_;
  double *left = b.a.data(), *right = b.b.data();
  u32* code = b.code.data();
  std::size_t j = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const u32 key = keys[i], k = key & mask;
    const i64 m = count[k], step = 2 * m + 1;
    count[k] = static_cast<i32>(m + 1);
    here += step;
    beyond += step - two[k];
    left[j] = static_cast<double>(here);
    right[j] = static_cast<double>(beyond);
    n[j] = ++at;
    code[j] = key >> bits;
    // The boundary stays only if the code changes here.
    j += i + 1 == end || keys[i + 1] >> bits != key >> bits;
  }
  n_ = at;
  b.size = j;
}

inline void GiniCounts::scan_cells(const CellSource& source, std::size_t end,
                                   bool errors, LeftSums& b) const {
  const std::size_t n_classes = left_.size(), room = end * n_classes;
  std::vector<u32> counts(room + 2 * end, 0u);  // and two numbers per boundary
  for (std::size_t i = 0; i < end; ++i) {
    const u32* own = source.cells.count.data() + source.present[i] * n_classes;
    std::copy_n(own, n_classes, counts.data() + i * n_classes);
    b.code[i] = source.present[i];
  }
  for (std::size_t k = 0; k < std::min(n_classes, room); ++k)
    counts[k] += static_cast<u32>(left_[k]);
  std::fill_n(b.n.begin(), end, 0);
  std::fill_n(b.a.begin(), end, 0.0);
  std::fill_n(b.b.begin(), end, 0.0);
  std::fill_n(b.count.begin(), errors ? end : 0, 0);
  auto* scratch = reinterpret_cast<i32*>(counts.data() + room);
  i32* most_right = scratch + end;
  kernels().bin.class_edges(
      counts.data(), n_classes, 1, end, total_.data(),
      {b.n.data(), b.a.data(), b.b.data(), errors ? b.count.data() : nullptr,
       errors ? most_right : nullptr, scratch});
  for (std::size_t i = 0; errors && i < end; ++i) b.count[i] += most_right[i];
  b.size = end;
}

// The same, and `count` is what the majorities of both sides get right.
class CountsOfErrors : public GiniCounts {
 public:
  static constexpr bool kMajorityFromPrefix = true;
  using GiniCounts::GiniCounts;
  explicit CountsOfErrors(const GiniCounts& counts) : GiniCounts(counts) {}

  void emit(LeftSums& b, std::size_t j) const {
    GiniCounts::emit(b, j);
    i32 left = 0, right = 0;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      left = std::max(left, left_[k]);
      right = std::max(right, static_cast<i32>(total_[k]) - left_[k]);
    }
    b.count[j] = left + right;
  }
  void scan(const KeySource& source, std::size_t end, LeftSums& b) {
    std::vector<i32> start = left_;
    GiniCounts::scan(source, end, b);
    count_correct(source, end, start, b);
  }
  void scan(const CellSource& source, std::size_t end, LeftSums& b) const {
    scan_cells(source, end, true, b);
  }
  // Of boundaries that are there already.
  void count_correct(const KeySource& source, std::size_t end, LeftSums& b) const {
    std::vector<i32> start = left_;
    count_correct(source, end, start, b);
  }
  static double most_correct(const LeftSums& b, std::size_t lo, std::size_t hi) {
    i32 most = 0;
    for (std::size_t i = lo; i < hi; ++i) most = std::max(most, b.count[i]);
    return most;
  }

 private:
  // Forwards for the left side, which starts as `side`, backwards for the right one.
  void count_correct(const KeySource& source, std::size_t end, std::vector<i32>& side,
                     LeftSums& b) const {
    const u32* keys = source.keys.data();
    const u32 bits = source.class_bits, mask = (1u << bits) - 1;
    i32 *correct = b.count.data(), *own = side.data();
    const auto differ = [=](std::size_t i, std::size_t j) {
      return static_cast<std::size_t>(keys[i] >> bits != keys[j] >> bits);
    };
    i32 largest = *std::max_element(side.begin(), side.end());
    std::size_t j = 0;
    for (std::size_t i = 0; i < end; ++i) {
      j += i > 0 ? differ(i - 1, i) : 0;
      largest = std::max(largest, ++own[keys[i] & mask]);
      correct[j] = largest;
    }
    for (std::size_t k = 0; k < side.size(); ++k)
      side[k] = static_cast<i32>(total_[k]) - side[k];
    largest = *std::max_element(side.begin(), side.end());
    for (std::size_t i = end; i-- > 0;) {
      // Once per boundary: at the last of its rows.
      correct[j] += i + 1 == end || differ(i, i + 1) != 0 ? largest : 0;
      largest = std::max(largest, ++own[keys[i] & mask]);
      j -= i > 0 ? differ(i - 1, i) : 0;
    }
  }
};

// Writes the boundaries of the first `end` items, by a loop of the accumulator's own if
// it has one.
template <class A, class Source>
void write_boundaries(A& acc, const Source& source, std::size_t end, LeftSums& b) {
  if constexpr (requires { acc.scan(source, end, b); })
    acc.scan(source, end, b);
  else
    scan(acc, source, end, b);
}

}  // namespace dpdtree
