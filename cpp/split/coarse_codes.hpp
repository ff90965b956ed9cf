// The codes of columns cut down to one byte, so that few bins hold a node's rows.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "base/types.hpp"
#include "base/uninitialized_vector.hpp"
#include "data/column.hpp"
#include "loss/targets.hpp"
#include "split/ordering.hpp"

namespace dpdtree {

// Four features share a word per row: one look-up brings the bins of all four. Equal
// values have equal codes, so that none of them is spread over two bins. Rows without a
// value have a bin of their own behind all others. Columns of categories have none, nor
// have those with missing values where targets are numbers.
class CoarseCodes {
 public:
  static constexpr u32 kBins = 256;
  static constexpr std::size_t kLanes = 4;
  // What the bins of a column are made of: positions; ranks, of which some share a bin;
  // or ranks so few that each has a bin of its own.
  enum class Layout : u8 { positions, shared, own };
  struct Bins {
    Layout layout = Layout::positions;
    u32 n = kBins;                // no row is in a bin behind these
    bool missing = false;         // the last of them has the rows without a value
    std::vector<u32> first_code;  // shared: of each bin, and the end of the last one
  };
  struct Group {
    std::vector<u32> features;  // kLanes at most; lane i is byte i of a word
    UninitializedVector<u32> words;
    u32 n_sums = 0;  // of numbers, by bin: see kPlainSums and kAllSums
  };
  // Of numbers that weigh the same in bins of one value: their sum and rows. Elsewhere
  // also the weight and the sum of squares, which bounds what splits the bin.
  static constexpr u32 kPlainSums = 2, kAllSums = 4;

  // None if there are fewer rows than bins would pay for, or more than scores are exact
  // for.
  CoarseCodes(const std::vector<Column>& columns, const std::vector<ScanKeys>& keys,
              const Targets& targets, std::size_t n_rows, ThreadPool& pool);

  bool empty() const { return groups_.empty(); }
  const std::vector<Group>& groups() const { return groups_; }
  std::size_t n_rows() const { return n_rows_; }
  bool has_positions() const { return has_positions_; }
  std::size_t n_slots() const { return kLanes * groups_.size(); }
  // Where a feature's bins are found among those of all groups; -1: it has none.
  i32 slot(u32 feature) const { return slot_[feature]; }
  const Bins& bins(u32 feature) const { return bins_[feature]; }
  bool has_one_code(u32 feature, std::size_t bin) const {
    const std::vector<u32>& first = bins_[feature].first_code;
    return !first.empty() && first[bin + 1] - first[bin] == 1;
  }
  // The bin of row after row.
  auto bins_of(u32 feature) const {
    const auto slot = static_cast<std::size_t>(slot_[feature]);
    return [words = groups_[slot / kLanes].words.data(),
            by = 8 * (slot % kLanes)](Row r) { return words[r] >> by & (kBins - 1); };
  }
  u32 bin(u32 feature, Row r) const { return bins_of(feature)(r); }

  // Numbers: where the sums of a slot begin, if they are one behind the other.
  std::size_t first_moment(std::size_t slot) const { return first_moment_[slot]; }
  u32 n_sums(std::size_t slot) const { return groups_[slot / kLanes].n_sums; }
  // Never less than w·y², and such that any sum of them is exact.
  double square(double w, double y) const {
    return squares_(w * y * y) + squares_.unit();
  }

  // The positions of the codes of bin b start here.
  std::size_t first_position(u32 b) const { return std::size_t{b} << shift_; }

 private:
  void add_to_group(u32 feature, u32 n_sums);
  void group_numbers(const std::vector<Column>& columns, const Targets& targets);
  Bins make_bins(const Column& column) const;
  void share_bins(const Column& column, Bins& bins) const;
  void fill(const std::vector<Column>& columns, Group& group, ThreadPool& pool) const;

  std::size_t n_rows_;
  u32 shift_ = 0;
  bool has_positions_ = false;  // some bins are made of them
  std::vector<Group> groups_;
  std::vector<i32> slot_;
  std::vector<Bins> bins_;
  std::vector<std::size_t> first_moment_;  // empty: of labels
  Grid squares_;
};

}  // namespace dpdtree
