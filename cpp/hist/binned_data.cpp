#include "hist/binned_data.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/error.hpp"
#include "data/edge_search.hpp"

namespace dpdtree::boosting {
namespace {

constexpr std::size_t kRowsPerTask = 2048;

class CodeSearch {
 public:
  explicit CodeSearch(const FeatureBins& bins) : bins_(&bins), edges_(bins.edges) {}

  u32 code_of(double value) const {
    if (bins_->categorical) return bins_->code_of(value);
    return std::isnan(value) ? bins_->n_values : edges_.n_below(value);
  }

 private:
  const FeatureBins* bins_;
  EdgeSearch edges_;
};

}  // namespace

BinnedData::BinnedData(const MatrixView& x, std::vector<FeatureBins> bins, bool bundle,
                       ThreadPool& pool, StopToken& stop)
    : n_rows_(x.rows),
      bins_(std::move(bins)),
      has_missing_(bins_.size(), 0),
      column_of_feature_(bins_.size()) {
  make_columns(bundle ? find_bundles(x, bins_, pool) : std::vector<Bundle>{});
  make_blocks();
  encode(x, 0, pool, stop);
}

BinnedData::BinnedData(std::size_t n_rows, std::vector<FeatureBins> bins, Arena* memory)
    : n_rows_(n_rows),
      bins_(std::move(bins)),
      has_missing_(bins_.size(), 0),
      column_of_feature_(bins_.size()),
      codes_(RawAllocator<u8>(memory)) {
  make_columns({});
  make_blocks();
}

void BinnedData::make_columns(std::vector<Bundle> bundles) {
  std::vector<bool> bundled(bins_.size(), false);
  for (Bundle& b : bundles) {
    u32 n_codes = 1;
    for (const Member& m : b) {
      bundled[m.feature] = true;
      n_codes += bins_[m.feature].n_values - 1;
    }
    columns_.push_back({std::move(b), true, n_codes});
  }
  for (u32 f = 0; f < bins_.size(); ++f)
    if (!bundled[f]) columns_.push_back({{{f, 0, 0}}, false, bins_[f].n_values + 1});
  std::stable_sort(columns_.begin(), columns_.end(),
                   [](const PackedColumn& a, const PackedColumn& b) {
                     return a.n_codes > b.n_codes;
                   });
  for (u32 column = 0; column < columns_.size(); ++column)
    for (const Member& m : columns_[column].members)
      column_of_feature_[m.feature] = column;
}

void BinnedData::make_blocks() {
  const auto n_columns = static_cast<u32>(columns_.size());
  std::size_t codes_at = 0;
  for (u32 first = 0; first < n_columns;) {
    Block b;
    b.first_column = first;
    b.used = std::min(8u, n_columns - first);
    b.width = b.used > 4 ? 8 : 4;
    b.n_bins = columns_[first].n_codes;
    b.codes_at = codes_at;
    b.bins_at = histogram_size_;
    codes_at += n_rows_ * b.width;
    histogram_size_ += std::size_t{b.n_bins} * b.width;
    first += b.used;
    blocks_.push_back(b);
  }
  codes_.resize(codes_at);
  // Bundles leave the most frequent code out, and blocks may have more room than
  // columns.
  std::fill(codes_.begin(), codes_.end(), u8{0});
}

void BinnedData::encode(const MatrixView& x, std::size_t first_row, ThreadPool& pool,
                        StopToken& stop) {
  if (x.cols != bins_.size() || first_row + x.rows > n_rows_)
    throw InputError("a block of rows does not fit the table it belongs to");
  const std::vector<CodeSearch> search(bins_.begin(), bins_.end());
  std::vector<std::atomic<u8>> missing(bins_.size());
  const std::size_t n_tasks = (x.rows + kRowsPerTask - 1) / kRowsPerTask;
  const auto encode_feature = [&](const Member& m, const PackedColumn& column, u8* out,
                                  u32 stride, std::size_t begin, std::size_t end) {
    const std::byte* p = x.data + static_cast<std::ptrdiff_t>(begin) * x.row_stride +
                         static_cast<std::ptrdiff_t>(m.feature) * x.col_stride;
    const u32 n_values = bins_[m.feature].n_values;
    bool any_missing = false;
    visit_dtype(x.dtype, [&](auto* tag) {
      using T = std::remove_const_t<std::remove_pointer_t<decltype(tag)>>;
      for (std::size_t i = begin; i < end; ++i, p += x.row_stride) {
        const u32 bin = search[m.feature].code_of(load_as_double<T>(p));
        any_missing |= bin == n_values;
        if (!column.bundled)
          out[i * stride] = static_cast<u8>(bin);
        else if (bin != m.default_bin)
          out[i * stride] = static_cast<u8>(m.code_of(bin));
      }
    });
    if (any_missing) missing[m.feature] = 1;
  };
  pool.parallel_for(n_tasks, [&](std::size_t task, unsigned) {
    if (stop.poll()) return;
    const std::size_t begin = task * kRowsPerTask;
    const std::size_t end = std::min(x.rows, begin + kRowsPerTask);
    for (const Block& b : blocks_)
      for (u32 slot = 0; slot < b.used; ++slot) {
        const PackedColumn& column = columns_[b.first_column + slot];
        for (const Member& m : column.members)
          encode_feature(m, column,
                         codes_.data() + b.codes_at + first_row * b.width + slot,
                         b.width, begin, end);
      }
  });
  for (std::size_t f = 0; f < bins_.size(); ++f) has_missing_[f] |= missing[f];
}

void BinnedData::put(const u8* codes, std::size_t n_rows, std::size_t first_row) {
  if (first_row + n_rows > n_rows_)
    throw InputError("a block of rows does not fit the table it belongs to");
  const std::size_t p = bins_.size();
  for (u32 f = 0; f < p; ++f) {
    const ColumnCodes column = codes_of(f);
    const u32 n_values = bins_[f].n_values;
    u8* out = codes_.data() + (column.data - codes_.data()) + first_row * column.stride;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const u8 code = codes[i * p + f];
      if (code > n_values) throw InputError("a block of rows has a code of no bin");
      if (code == n_values) has_missing_[f] = 1;
      out[i * column.stride] = code;
    }
  }
}

std::vector<u8> BinnedData::row_major() const {
  const std::size_t p = bins_.size();
  std::vector<u8> out(n_rows_ * p);
  for (u32 f = 0; f < p; ++f) {
    const ColumnCodes column = codes_of(f);
    for (std::size_t i = 0; i < n_rows_; ++i)
      out[i * p + f] = column.data[i * column.stride];
  }
  return out;
}

ColumnCodes BinnedData::codes_of(u32 feature) const {
  const u32 column = column_of_feature_[feature];
  const Block& b = block_of(column);
  return {codes_.data() + b.codes_at + (column - b.first_column), b.width};
}

SideTable BinnedData::sides(const BinnedSplit& rule) const {
  const PackedColumn& column = columns_[column_of_feature_[rule.feature]];
  const u32 n_values = bins_[rule.feature].n_values;
  SideTable table{};
  if (!column.bundled && !rule.categorical) {
    std::fill_n(table.begin(), std::min(rule.cut + 1, n_values), u8{1});
    table[n_values] = rule.missing_left;
    return table;
  }
  if (!column.bundled) {
    for (u32 bin = 0; bin <= n_values; ++bin)
      table[bin] = rule.goes_left(bin, n_values);
    return table;
  }
  const auto member =
      std::find_if(column.members.begin(), column.members.end(),
                   [&](const Member& m) { return m.feature == rule.feature; });
  table.fill(rule.goes_left(member->default_bin, n_values));
  for (u32 bin = 0; bin < n_values; ++bin)
    if (bin != member->default_bin)
      table[member->code_of(bin)] = rule.goes_left(bin, n_values);
  return table;
}

}  // namespace dpdtree::boosting
