// The possible splits of one column, one after the other, for columns and settings that
// the four-column kernel does not know.
#pragma once

#include <algorithm>
#include <array>

#include "hist/binned_data.hpp"
#include "hist/set_prices.hpp"
#include "simd/gradient_bin.hpp"

namespace dpdtree::boosting {

// One column of a block's histogram, and the sum of the node.
class HistogramColumn {
 public:
  HistogramColumn(const Bin* histogram, const Block& block, u32 slot,
                  const Units& units, const GradientSum& total = {})
      : first_(histogram + (block.bins_at + slot) * units.bins_per_cell()),
        stride_(block.width * units.bins_per_cell()),
        units_(&units),
        total_(total) {}

  GradientSum operator[](u32 code) const {
    return units_->sum_of(first_ + code * stride_);
  }
  const GradientSum& total() const { return total_; }
  // Of the codes that go left.
  GradientSum sum(const SideTable& left, u32 n_codes) const {
    const std::size_t bins_per_cell = units_->bins_per_cell();
    Bin sums[2];
    for (u32 code = 0; code < n_codes; ++code) {
      if (left[code] == 0) continue;
      for (std::size_t i = 0; i < bins_per_cell; ++i)
        sums[i] += first_[code * stride_ + i];
    }
    return units_->sum_of(sums);
  }

 private:
  const Bin* first_;
  std::size_t stride_;
  const Units* units_;
  GradientSum total_;
};

// offer(rule, left) for every cut of a numeric feature: missing values right, then
// left.
template <class Offer>
void for_cuts(const HistogramColumn& column, u32 feature, u32 n_values,
              bool has_missing, Offer&& offer) {
  for (const bool missing_left : {false, true}) {
    if (missing_left && !has_missing) break;
    GradientSum left = missing_left ? column[n_values] : GradientSum{};
    const u32 n_cuts = has_missing && !missing_left ? n_values : n_values - 1;
    for (u32 cut = 0; cut < n_cuts; ++cut) {
      left += column[cut];
      offer(BinnedSplit{feature, false, missing_left, cut, {}}, left);
    }
  }
}

// The default bin of a bundled feature is what its other bins leave of the node.
template <class Offer>
void for_bundled_cuts(const HistogramColumn& column, const Member& member, u32 n_values,
                      Offer&& offer) {
  GradientSum at_default = column.total();
  for (u32 i = 0; i + 1 < n_values; ++i)
    at_default = at_default - column[member.offset + i];
  GradientSum left;
  for (u32 cut = 0; cut + 1 < n_values; ++cut) {
    left += cut == member.default_bin ? at_default : column[member.code_of(cut)];
    offer(BinnedSplit{member.feature, false, false, cut, {}}, left);
  }
}

// Categories with fewer rows are too uncertain to be placed: they stay on the right.
inline constexpr i64 kMinCategoryCount = 10;
// Pulls rare categories towards the middle of the order.
inline constexpr double kCategorySmoothing = 10;

// Sets of categories: the first ones, then the last ones, in the order of their mean
// gradient, which contains the best of all sets. Missing values are a category.
// offer(rule, left, price).
template <class Offer>
void for_category_sets(const HistogramColumn& column, u32 feature, u32 n_values,
                       const Units& units, Offer&& offer) {
  std::array<std::pair<double, u32>, kMaxBins + 1> order;
  u32 n = 0;
  for (u32 code = 0; code <= n_values; ++code) {
    const GradientSum sum = column[code];
    if (sum.count < kMinCategoryCount) continue;
    const double h = units.hessian_of(sum) + kCategorySmoothing;
    order[n++] = {units.gradient_of(sum) / h, code};
  }
  std::sort(order.begin(), order.begin() + n);
  const SetPrices prices(n, units.noise);
  for (const bool backwards : {false, true}) {
    BinnedSplit rule{feature, true, false, 0, {}};
    GradientSum left;
    for (u32 i = 0; i < n; ++i) {
      const u32 code = order[backwards ? n - 1 - i : i].second;
      left += column[code];
      if (code == n_values)
        rule.missing_left = true;
      else
        rule.left_bins.insert(code);
      offer(rule, left, prices[i + 1]);
    }
  }
}

}  // namespace dpdtree::boosting
