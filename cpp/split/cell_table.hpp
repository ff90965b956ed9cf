// The cells of all features of a node in one piece: what partitions of the rows send,
// and what is searched where the rows are elsewhere. Whole numbers, or multiples of a
// power of two, so that tables of parts add up to that of the whole without rounding,
// and the table of a child is what its sibling leaves of their parent's.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/thread_pool.hpp"
#include "data/column.hpp"
#include "loss/targets.hpp"

namespace dpdtree {

struct CodeHistogram;

// Where the cells of a feature are, and what a cell holds; the same for all nodes of a
// fit.
struct CellLayout {
  CellLayout(const std::vector<Column>& columns, const Targets& targets);

  std::size_t n_cells(u32 feature) const { return first[feature + 1] - first[feature]; }

  std::vector<std::size_t> first;  // cell of each feature, and their end
  std::vector<bool> categorical;
  // Labels without weights have a count per class. Everything else has one count and
  // its statistics, but the weight where that is the count.
  bool by_class = false;
  bool numbers = false;  // simple ones: one output, no logarithms
  bool weighted = false;
  std::size_t count_width = 1;
  std::size_t sum_width = 0;
  std::size_t stats_width = 0;
};

class CellTable {
 public:
  CellTable() = default;
  explicit CellTable(std::shared_ptr<const CellLayout> layout);

  // Counts rows; the table was empty.
  void count(const std::vector<Column>& columns, const Targets& targets,
             std::span<const Row> rows, ThreadPool& pool);

  CellTable& operator+=(const CellTable& other);
  CellTable& operator-=(const CellTable& other);

  const CellLayout& layout() const { return *layout_; }
  // Rows of a code.
  u32 n(u32 feature, u32 code) const;
  // Adds the statistics of a code.
  void add_to(u32 feature, u32 code, double* stats) const;
  // As the search of one feature takes it: its cells, and the codes that occur.
  void fill(u32 feature, CodeHistogram& cells, std::vector<u32>& present) const;

  void write(ByteWriter& out) const;
  static CellTable read(ByteReader& in, std::shared_ptr<const CellLayout> layout);

 private:
  std::size_t cell(u32 feature, u32 code) const {
    return layout_->first[feature] + code;
  }
  void add_squares(const Column& column, const Targets& targets,
                   std::span<const Row> rows, std::size_t first);

  std::shared_ptr<const CellLayout> layout_;
  std::vector<u32> count_;
  std::vector<double> sum_;
};

// The cells of one feature and the codes that occur: as they are given or, if they are
// not, by counting rows (see code_histogram.hpp).
void fill_cells(const CellTable* given, u32 feature, const Column& column,
                const Targets& targets, std::span<const Row> rows, CodeHistogram& cells,
                std::vector<u32>& present, ThreadPool* pool = nullptr);

}  // namespace dpdtree
