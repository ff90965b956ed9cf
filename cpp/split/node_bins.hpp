// How a node's rows fall into the bins of coarse codes, and what follows for its best
// split. Two classes: no split within a bin can be better than if all rows of one class
// came before those of the other. More classes: none can leave less impurity than the
// rows before the bin and those behind it have. So most bins, and most features, need
// no closer opened.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/tolerance.hpp"
#include "node/split.hpp"
#include "split/bin_counts.hpp"
#include "split/coarse_codes.hpp"

namespace dpdtree {

class NodeBins {
 public:
  // True for nodes large enough to gain by it.
  static bool suits(const CoarseCodes& codes, std::size_t n);

  NodeBins(const CoarseCodes& codes, std::shared_ptr<const BinCounts> counts,
           std::span<const Row> rows);

  const CoarseCodes& codes() const { return codes_; }
  CoarseCodes::Layout layout(u32 feature) const { return codes_.bins(feature).layout; }
  // In small nodes 2^shift bins of the counts, side by side, are one: a bin of but a
  // few rows takes more time than it saves. Values with bins of their own keep them.
  u32 shift(u32 feature) const {
    return layout(feature) == CoarseCodes::Layout::own ? 0 : shift_;
  }
  std::size_t n_bins(u32 feature) const {
    return ((codes_.bins(feature).n - 1) >> shift(feature)) + 1;
  }
  // The last bin, which is never joined, has the rows without a value: they bound what
  // splits can reach, but none of the bins is opened.
  bool has_missing(u32 feature) const { return codes_.bins(feature).missing; }
  u32 bin(u32 feature, Row r) const { return codes_.bin(feature, r) >> shift(feature); }
  // The same of row after row.
  auto bins_of(u32 feature) const {
    return [of = codes_.bins_of(feature), by = shift(feature)](Row r) {
      return of(r) >> by;
    };
  }
  std::size_t first_position(std::size_t bin) const {
    return codes_.first_position(static_cast<u32>(bin << shift_));
  }
  u32 first_code(u32 feature, std::size_t bin) const {
    const CoarseCodes::Bins& bins = codes_.bins(feature);
    if (bins.layout == CoarseCodes::Layout::positions)
      return static_cast<u32>(first_position(bin));
    return bins.first_code[std::min<std::size_t>(bin << shift_, bins.n)];
  }
  // Two classes, before bins are joined: rows, and above 32 bits those of class 1.
  const u64* counts(u32 feature) const {
    return counts_->counts.data() +
           CoarseCodes::kBins * static_cast<std::size_t>(codes_.slot(feature));
  }
  // More of them: rows by bin and class.
  const u32* class_counts(u32 feature, std::size_t n_classes) const {
    return counts_->by_class.data() +
           CoarseCodes::kBins * n_classes *
               static_cast<std::size_t>(codes_.slot(feature));
  }
  // With weights: rows by bin; weights by bin and class.
  const u32* rows(u32 feature) const {
    return counts_->rows.data() +
           CoarseCodes::kBins * static_cast<std::size_t>(codes_.slot(feature));
  }
  const double* weights(u32 feature, std::size_t n_classes) const {
    return counts_->weights.data() + CoarseCodes::kBins * n_classes *
                                         static_cast<std::size_t>(codes_.slot(feature));
  }
  // Numbers: so many sums of each bin.
  u32 n_sums(u32 feature) const {
    return codes_.n_sums(static_cast<std::size_t>(codes_.slot(feature)));
  }
  const double* moments(u32 feature) const {
    return counts_->moments.data() +
           codes_.first_moment(static_cast<std::size_t>(codes_.slot(feature)));
  }

  bool contains(Row r) const {
    return members_.empty() || (members_[r / 64] >> (r % 64) & 1) != 0;
  }

  // What is known of a feature before its bins are looked into.
  struct Bounds {
    double score = 0;       // no split's is larger
    double correct = 0;     // nor the weight it gets right
    bool constant = false;  // all rows have one value
  };
  Bounds& bounds(u32 feature) {
    return bounds_[static_cast<std::size_t>(codes_.slot(feature))];
  }
  const Bounds& bounds(u32 feature) const {
    return bounds_[static_cast<std::size_t>(codes_.slot(feature))];
  }

  // True if none of a feature's bins needs a opened.
  bool closed(u32 feature, double floor, bool error_bound) const {
    const Bounds& most = bounds(feature);
    return most.score < floor && (!error_bound || most.correct <= correct);
  }

  // The best of the splits between two bins, of any feature.
  double score = -1;
  double correct = 0;

  // Entropy: less than that, whatever it was rounded by.
  double first_floor = -std::numeric_limits<double>::infinity();

  // What a score must exceed to be the best or as good, up to rounding; `least` allows
  // any.
  double floor(double least) const {
    return score > 0 ? score * (1 - kRounding) : std::max(least, first_floor);
  }

 private:
  const CoarseCodes& codes_;
  u32 shift_;
  std::shared_ptr<const BinCounts> counts_;
  std::vector<u64> members_;  // a bit per row; empty: all rows, or nobody asks
  std::vector<Bounds> bounds_;
};

// The positions [position, end) of a column that hold rows of the node, 64 at a time as
// in ordering.hpp, and one more behind them (or n_all: none).
class MemberWords {
 public:
  MemberWords(const ColumnOrder& order, const NodeBins& bins, std::size_t position,
              std::size_t end, std::size_t one_more)
      : sorted_(order.sorted.data()),
        bins_(&bins),
        position_(position),
        end_(end),
        one_more_(one_more),
        n_all_(order.sorted.size()) {}
  bool next(std::size_t& first, u64& word) {
    if (position_ >= end_) return next_alone(first, word);
    first = position_;
    const std::size_t n = std::min<std::size_t>(64, end_ - position_);
    word = 0;
    for (std::size_t i = 0; i < n; ++i)
      word |= u64{bins_->contains(sorted_[first + i])} << i;
    position_ += n;
    return true;
  }

 private:
  bool next_alone(std::size_t& first, u64& word) {
    if (one_more_ == n_all_) return false;
    first = one_more_;
    word = 1;
    one_more_ = n_all_;
    return true;
  }

  const Row* sorted_;
  const NodeBins* bins_;
  std::size_t position_;
  std::size_t end_;
  std::size_t one_more_;
  std::size_t n_all_;
};

}  // namespace dpdtree
