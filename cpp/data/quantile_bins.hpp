// Where bins of about equal weight end: the one rule for the bins of a column, of a
// node's own rows, and of boosting. Values come in ascending order.
//
// split/coarse_codes.hpp is no quantile binner: it drops the last bits of positions.
#pragma once

#include "base/types.hpp"

namespace dpdtree {

// What a bin aims at: that the first b bins hold b shares of the whole, or its share of
// what is left, so that neither a heavy value nor rounding leaves a tail for the last.
enum class BinAim : u8 { share_of_whole, share_of_rest };

class QuantileBins {
 public:
  QuantileBins(double total, u32 max_bins, BinAim aim)
      : total_(total), rest_(total), max_bins_(max_bins), aim_(aim) {}

  // Adds a value of this weight to the current bin; true if the bin ends with it, as it
  // may unless the next value has to share it. The last bin takes whatever comes.
  bool add(double weight, bool may_end = true) {
    seen_ += weight;
    in_bin_ += weight;
    if (!may_end || n_ended_ + 1 >= max_bins_ || !full()) return false;
    ++n_ended_;
    rest_ -= in_bin_;
    in_bin_ = 0;
    return true;
  }
  u32 n_ended() const { return n_ended_; }

 private:
  bool full() const {
    if (aim_ == BinAim::share_of_rest)
      return !(in_bin_ < rest_ / (max_bins_ - n_ended_));
    return seen_ >= total_ * (n_ended_ + 1) / max_bins_;
  }

  double total_, rest_;
  double seen_ = 0, in_bin_ = 0;
  u32 max_bins_;
  u32 n_ended_ = 0;
  BinAim aim_;
};

}  // namespace dpdtree
