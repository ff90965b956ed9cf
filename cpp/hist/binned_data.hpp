// The training rows as one byte per column, laid out for histograms.
//
// Packed columns (a feature each, or a bundle of features) are grouped into blocks of
// eight (the last one perhaps of four) so that a block's histogram stays in the first
// cache while one load brings all its codes of a row. Columns of similar size share a
// block, so that scanning a block does not visit bins that most columns lack.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/uninitialized_vector.hpp"
#include "data/category_set.hpp"
#include "hist/bundles.hpp"

namespace dpdtree::boosting {

struct PackedColumn {
  Bundle members;  // one, unless bundled
  bool bundled = false;
  u32 n_codes = 0;  // with the missing one
};

struct Block {
  u32 first_column = 0;
  u32 used = 0;   // columns
  u32 width = 0;  // 4 or 8: bytes per row
  u32 n_bins = 0;
  std::size_t codes_at = 0;
  std::size_t bins_at = 0;  // in a histogram
};

// Which bins of a feature go left.
struct BinnedSplit {
  u32 feature = 0;
  bool categorical = false;
  bool missing_left = false;
  u32 cut = 0;                // numeric: bins <= cut go left
  ByteCategorySet left_bins;  // categorical

  bool goes_left(u32 bin, u32 n_values) const {
    if (bin == n_values) return missing_left;
    if (categorical) return left_bins.contains(bin);
    return bin <= cut;
  }
  friend bool operator==(const BinnedSplit&, const BinnedSplit&) = default;
};

// 1 for every code of a column that goes left.
using SideTable = std::array<u8, 256>;

// A column's codes: the code of row r is data[r * stride].
struct ColumnCodes {
  const u8* data = nullptr;
  u32 stride = 0;
};

class BinnedData {
 public:
  // Bundles exclusive columns if `bundle` is set (not for data that others were binned
  // from, where they need not be exclusive).
  BinnedData(const MatrixView& x, std::vector<FeatureBins> bins, bool bundle,
             ThreadPool& pool, StopToken& stop);
  // Rows are to come in blocks, without bundles. `memory`, if any, is where the codes
  // go; it outlives them.
  BinnedData(std::size_t n_rows, std::vector<FeatureBins> bins, Arena* memory);
  // Codes made elsewhere, row-major, a column per feature: rows first_row … of the
  // table.
  void put(const u8* codes, std::size_t n_rows, std::size_t first_row);
  // Of all rows, in the same form; without bundles.
  std::vector<u8> row_major() const;
  // Rows first_row … of the table.
  void encode(const MatrixView& x, std::size_t first_row, ThreadPool& pool,
              StopToken& stop);

  std::size_t n_rows() const { return n_rows_; }
  u32 n_features() const { return static_cast<u32>(bins_.size()); }
  const FeatureBins& bins(u32 feature) const { return bins_[feature]; }
  bool has_missing(u32 feature) const { return has_missing_[feature] != 0; }
  // There are rows elsewhere that miss its value.
  void note_missing(u32 feature) { has_missing_[feature] = 1; }
  std::span<const PackedColumn> columns() const { return columns_; }
  std::span<const Block> blocks() const { return blocks_; }
  std::size_t histogram_size() const { return histogram_size_; }
  const u8* block_codes(const Block& block) const {
    return codes_.data() + block.codes_at;
  }

  u32 column_of(u32 feature) const { return column_of_feature_[feature]; }
  const Block& block_of(u32 column) const { return blocks_[column / 8]; }
  ColumnCodes codes_of(u32 feature) const;
  SideTable sides(const BinnedSplit& rule) const;

 private:
  void make_columns(std::vector<Bundle> bundles);
  void make_blocks();

  std::size_t n_rows_;
  std::vector<FeatureBins> bins_;
  std::vector<u8> has_missing_;
  std::vector<PackedColumn> columns_;
  std::vector<u32> column_of_feature_;
  std::vector<Block> blocks_;
  UninitializedVector<u8> codes_;
  std::size_t histogram_size_ = 0;
};

}  // namespace dpdtree::boosting
