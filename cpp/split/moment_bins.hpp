// Bins of numbers, for squared errors: rows, weights, their sums and what bounds the
// sum of squares. Targets are rounded so that sums are exact (see targets.hpp), so any
// order of adding up, and the difference of a parent and a sibling, gives the very sums
// that a look at all rows does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/tolerance.hpp"
#include "simd/dispatch.hpp"
#include "split/accumulators.hpp"
#include "split/feasible.hpp"
#include "split/open_bins.hpp"

namespace dpdtree {

// Fewer rows leave most bins open.
inline constexpr std::size_t kLeastToShare = 512;

template <class A>
constexpr bool sums_numbers() {
  return std::is_same_v<A, PrefixAccumulator<false, false>> ||
         std::is_same_v<A, PrefixAccumulator<true, false>>;
}

// LeftSums [0, m) of `b` become those behind each of the m bins. Returns m.
inline std::size_t write_moments(const NodeBins& bins, u32 f, LeftSums& b) {
  b.reserve(CoarseCodes::kBins, LeftSums::Parts::weights_and_sums);
  const double* from = bins.moments(f);
  const std::size_t m = bins.n_bins(f);
  double sum = 0, n = 0, w = 0;
  if (bins.n_sums(f) == CoarseCodes::kPlainSums) {
    for (std::size_t i = 0; i < m; ++i) {
      b.a[i] = sum += from[2 * i];
      b.w[i] = n += from[2 * i + 1];
      b.n[i] = static_cast<i32>(n);
    }
    return m;
  }
  const std::size_t all = bins.codes().bins(f).n;
  const std::size_t joined = std::size_t{1} << bins.shift(f);
  for (std::size_t i = 0, j = 0; i < m; ++i) {
    for (const std::size_t end = std::min(j + joined, all); j < end; ++j, from += 4) {
      sum += from[0];
      n += from[1];
      w += from[2];
    }
    b.a[i] = sum;
    b.w[i] = w;
    b.n[i] = static_cast<i32>(n);
  }
  return m;
}

// Features whose values share bins are not closed before there is a floor.
template <class A>
  requires(sums_numbers<A>())
void bound_bins(NodeBins& bins, u32 f, const A& acc, const Targets&,
                const NodeView& node, const SplitLimits& limits, bool, LeftSums& b) {
  const std::size_t m = write_moments(bins, f, b);
  const auto [lo, hi] = feasible(b, 0, m, true, node, limits);
  const bool own = bins.layout(f) == CoarseCodes::Layout::own;
  const double floor = own ? A::kLeastScore : bins.score;
  const double best = acc.best(b, lo, hi, floor).score;
  bins.score = std::max(bins.score, best);
  bins.bounds(f) = {own ? best : std::numeric_limits<double>::infinity(), 0,
                    own && in_one_bin(b, m)};
}

// The bins of a feature whose values share them, and what is left of each.
class SharedNumberBins {
 public:
  static constexpr std::size_t kBins = CoarseCodes::kBins;

  SharedNumberBins(const NodeBins& bins, u32 f, const LeftSums& b, std::size_t m)
      : opened_(b, m), m_(m) {
    std::copy_n(b.a.begin(), m, sum_.begin() + 1);
    std::copy_n(b.w.begin(), m, weight_.begin() + 1);
    const double* from = bins.moments(f);
    const std::size_t all = bins.codes().bins(f).n;
    const std::size_t joined = std::size_t{1} << bins.shift(f);
    for (std::size_t i = 0, j = 0; i < m; ++i) {
      double squares = 0, largest = 0;
      std::size_t filled = j;
      for (const std::size_t end = std::min(j + joined, all); j < end; ++j, from += 4) {
        squares += from[3];
        if (from[1] > largest) filled = j;
        largest = std::max(largest, from[1]);
      }
      if (largest == 0) continue;
      const bool one = largest == opened_.n[i + 1] - opened_.n[i] &&
                       bins.codes().has_one_code(f, filled);
      only_code_[i] = one ? bins.codes().bins(f).first_code[filled] : kMore;
      squares_[i] = one ? 0 : squares;
    }
  }

  // Opens the bins that a split of this score may lie in; false if there are none.
  bool open(const NodeView& node, const SplitLimits& limits, double score) {
    const double all = node.stats[0], mean = node.stats[1] / all;
    // Far above the last digit of any sum of a side: these are √(Σw · Σwy²) at most.
    const double rounding = 1e-14 * std::sqrt(all * node.stats[2]);
    const NumberFloor floor{all, mean, score * (1 - kPruningMargin), rounding};
    kernels().bin.number_excess({sum_.data(), weight_.data(), squares_.data(), m_},
                                floor, excess_.data());
    const auto n_all = static_cast<i64>(node.n());
    const auto least = static_cast<i64>(limits.min_samples_leaf);
    bool any = false;
    for (std::size_t i = 0; i < m_; ++i) {
      const i64 before = opened_.n[i], upto = opened_.n[i + 1];
      if (before == upto || upto < least || n_all - before <= least) continue;
      opened_.open[i] =
          before == 0 || upto == n_all ? reaches_at_end(i, floor) : excess_[i] >= 0;
      any |= opened_.open[i];
    }
    return any;
  }

  // False if it is better to look at all rows.
  bool few_are_open(std::size_t n_rows) const {
    constexpr std::size_t kMostShare = 3;
    std::size_t n_open = 0;
    for (std::size_t i = 0; i < m_; ++i)
      if (opened_.open[i] && !has_one_code(i)) n_open += rows(i);
    return n_open * kMostShare <= n_rows;
  }

  const OpenBins& opened() const { return opened_; }
  std::size_t rows(std::size_t bin) const {
    return static_cast<std::size_t>(opened_.n[bin + 1] - opened_.n[bin]);
  }
  // All rows of the bin have one value: nobody needs to look at them.
  bool has_one_code(std::size_t bin) const { return only_code_[bin] != kMore; }
  u32 only_code(std::size_t bin) const { return only_code_[bin]; }

  // Lets an accumulator begin, or go on, with all rows left of a bin.
  template <class A>
  void start(A& acc, std::size_t bin) const {
    const double left[2] = {weight_[bin], sum_[bin]};
    acc.start(left, static_cast<u32>(opened_.n[bin]));
  }

 private:
  // At both ends a side may be a single row. But squared errors never fall when rows
  // are added: a split leaves those of the rows beyond the bin at least.
  bool reaches_at_end(std::size_t i, const NumberFloor& floor) const {
    constexpr double kOfSquares = 1e-13;
    const double all = floor.all_weight, mean = floor.mean;
    const double in = weight_[i + 1] - weight_[i], sum = sum_[i + 1] - sum_[i];
    const double rest = all - in;
    if (rest <= 0) return true;
    const double centered = std::fabs(sum - mean * in) + floor.rounding;  // of both
    const double size = squares_[i] + mean * mean * in, twice = 2 * mean * sum;
    const double inside = size - twice + kOfSquares * (size + std::fabs(twice));
    const double square = centered * centered;
    return all * (std::max(inside, square / in) + square / rest) >= floor.score;
  }

  static constexpr u32 kMore = ~0u;
  OpenBins opened_;
  std::size_t m_;
  std::array<double, kBins + 1> sum_{}, weight_{};
  std::array<double, kBins> squares_{}, excess_{};
  std::array<u32, kBins> only_code_{};
};

// The rows in open bins: code, and number; or a bin whose rows have one code.
template <class A>
class OpenNumbers {
 public:
  struct Source {
    const SharedNumberBins* bins;
    std::span<const u64> keys;
    std::size_t size() const { return keys.size(); }
    u32 code(std::size_t i) const { return static_cast<u32>(keys[i] >> 32); }
    void add(A& acc, std::size_t i) const {
      const auto row = static_cast<u32>(keys[i]);
      if (row < kFirstBin) return acc.add_row(row);
      bins->start(acc, row - kFirstBin + 1);
    }
  };

  // Straight into their bins, which are sorted one by one.
  OpenNumbers(const NodeBins& bins, u32 f, const Column& column, const NodeView& node,
              const SharedNumberBins& shared)
      : bins_(&shared) {
    auto wanted = wanted_bins(shared.opened());
    std::array<u32, kBins + 1> next;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const std::size_t size = place(wanted, next);
    visit_codes(column.code, [&](const auto* code) {
      const auto bin_of = bins.bins_of(f);
      for (const Row r : node.rows) {  // without a branch
        const u32 bin = bin_of(r);
        keys_[next[bin]] = u64{code[r]} << 32 | r;
        next[bin] += wanted[bin];
      }
    });
    keys_.resize(size);
    for (std::size_t i = 0; i < kBins; ++i)
      if (wanted[i] != 0)
        std::sort(
            keys_.begin() + (next[i] - static_cast<std::ptrdiff_t>(shared.rows(i))),
            keys_.begin() + next[i]);
  }
  std::size_t size() const { return keys_.size(); }
  u32 code(std::size_t i) const { return static_cast<u32>(keys_[i] >> 32); }
  Source source(std::size_t at, std::size_t n) const {
    return {bins_, {keys_.data() + at, n}};
  }

 private:
  static constexpr std::size_t kBins = OpenBins::kBins;
  static constexpr u32 kFirstBin = ~0u - static_cast<u32>(kBins);

  // Where the keys of wanted bins begin; those of the others go where nobody reads. A
  // bin of one code takes a single key, and its rows are wanted no longer.
  std::size_t place(std::array<u8, kBins>& wanted, std::array<u32, kBins + 1>& next) {
    u32 size = 0;
    for (std::size_t i = 0; i < kBins; ++i) {
      next[i] = size;
      if (wanted[i] == 0) continue;
      size += bins_->has_one_code(i) ? 1 : static_cast<u32>(bins_->rows(i));
    }
    keys_.resize(size + 1);
    for (std::size_t i = 0; i < kBins; ++i) {
      if (wanted[i] != 0 && !bins_->has_one_code(i)) continue;
      if (wanted[i] != 0)
        keys_[next[i]] = u64{bins_->only_code(i)} << 32 | (kFirstBin + i);
      wanted[i] = 0;
      next[i] = size;
    }
    return size;
  }

  const SharedNumberBins* bins_;
  std::vector<u64> keys_;
};

// As search_bins of two classes.
template <class A>
  requires(sums_numbers<A>())
bool search_bins(const NodeBins& bins, u32 f, const Column& column, const Targets&,
                 A& acc, const NodeView& node, const SplitLimits& limits, bool,
                 LeftSums& b, BlockBest& found) {
  if (bins.closed(f, found.score * (1 - kRounding), false))
    return leave(bins, f, false, found);
  const std::size_t m = write_moments(bins, f, b);
  if (bins.layout(f) == CoarseCodes::Layout::own) {
    compare_own(acc, b, m, node, limits, found);
    return leave(bins, f, false, found);
  }
  SharedNumberBins shared(bins, f, b, m);
  if (!shared.open(node, limits, found.score)) return leave(bins, f, false, found);
  if (!shared.few_are_open(node.n())) return false;
  compare_shared(
      bins, f, OpenNumbers<A>(bins, f, column, node, shared), node, limits, false,
      shared.opened(), acc, [&](std::size_t first) { shared.start(acc, first); }, b,
      found);
  return leave(bins, f, false, found);
}

}  // namespace dpdtree
