// Rows → codes of single trees, a block of rows after the other: what `encode` makes of
// a matrix with max_bins, from parts of it.
#pragma once

#include <memory>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "data/column_bins.hpp"
#include "data/edge_search.hpp"

namespace dpdtree {

class BinnedEncoder {
 public:
  // `memory`, if any, is where the codes go; it outlives them.
  explicit BinnedEncoder(std::size_t n_rows, Arena* memory = nullptr)
      : n_rows_(n_rows), memory_(memory) {}

  // Column `column` of the blocks.
  void add_numbers(u32 column, ColumnBins bins);
  // The caller's numbers of the categories, in the order of their codes.
  void add_categories(u32 column, std::vector<u32> categories);

  // Rows first_row … of the columns that were added. Infinite values raise InputError.
  void encode(const MatrixView& x, std::size_t first_row, ThreadPool& pool,
              StopToken& stop);
  // Once all rows have been encoded; in the order in which columns were added.
  std::vector<Column> finish();

 private:
  struct Part {
    u32 source = 0;
    ColumnBins bins;
    EdgeSearch search;
    std::vector<u32> code_of;  // of a category
    Column column;
  };
  void encode_column(Part& part, std::span<const double> values, std::size_t first_row);
  void encode_numbers(Part& part, std::span<const double> values, u8* code) const;
  void encode_categories(Part& part, std::span<const double> values,
                         std::size_t first_row) const;

  std::size_t n_rows_;
  Arena* memory_;
  std::vector<Part> parts_;
};

}  // namespace dpdtree
