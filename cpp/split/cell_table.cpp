#include "split/cell_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/packed_numbers.hpp"
#include "split/accumulators.hpp"
#include "split/code_histogram.hpp"

namespace dpdtree {

CellLayout::CellLayout(const std::vector<Column>& columns, const Targets& t)
    : by_class(t.classification() && !t.weighted() && !t.general),
      numbers(!t.classification() && !t.general),
      weighted(t.weighted()),
      count_width(by_class ? t.n_classes : 1),
      stats_width(t.stats_width()) {
  if (!by_class) sum_width = numbers && !weighted ? 2 : stats_width;
  first.push_back(0);
  for (const Column& column : columns) {
    first.push_back(first.back() + column.n_codes());
    categorical.push_back(column.categorical);
  }
}

CellTable::CellTable(std::shared_ptr<const CellLayout> layout)
    : layout_(std::move(layout)),
      count_(layout_->first.back() * layout_->count_width),
      sum_(layout_->first.back() * layout_->sum_width) {}

void CellTable::count(const std::vector<Column>& columns, const Targets& targets,
                      std::span<const Row> rows, ThreadPool& pool) {
  const CellLayout& l = *layout_;
  pool.parallel_for(columns.size(), [&](std::size_t f, unsigned) {
    CodeHistogram cells;
    std::vector<u32> present;
    const std::size_t n = columns[f].n_codes(), first = l.first[f];
    if (n == 0) return;
    fill_cells(columns[f], targets, rows, cells, present, &pool);
    std::copy_n(cells.count.begin(), n * l.count_width,
                count_.begin() + static_cast<std::ptrdiff_t>(first * l.count_width));
    double* sum = sum_.data() + first * l.sum_width;
    if (!l.numbers) {
      std::copy_n(cells.sum.begin(), n * l.sum_width, sum);
      return;
    }
    const std::size_t moment = l.sum_width - 2;
    for (std::size_t c = 0; c < n; ++c) {
      if (l.weighted) sum[c * l.sum_width] = cells.weight[c];
      sum[c * l.sum_width + moment] = cells.sum[c];
    }
    if (targets.order_free) add_squares(columns[f], targets, rows, first);
  });
}

void CellTable::add_squares(const Column& column, const Targets& t,
                            std::span<const Row> rows, std::size_t first) {
  const std::size_t width = layout_->sum_width;
  double* squares = sum_.data() + first * width + width - 1;
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : rows)
      squares[code[r] * width] += t.square_grid(t.weight_of(r) * t.y[r] * t.y[r]);
  });
}

CellTable& CellTable::operator+=(const CellTable& other) {
  for (std::size_t i = 0; i < count_.size(); ++i) count_[i] += other.count_[i];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += other.sum_[i];
  return *this;
}

CellTable& CellTable::operator-=(const CellTable& other) {
  for (std::size_t i = 0; i < count_.size(); ++i) count_[i] -= other.count_[i];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] -= other.sum_[i];
  return *this;
}

u32 CellTable::n(u32 feature, u32 code) const {
  const u32* counts = count_.data() + cell(feature, code) * layout_->count_width;
  return std::accumulate(counts, counts + layout_->count_width, 0u);
}

void CellTable::add_to(u32 feature, u32 code, double* stats) const {
  const CellLayout& l = *layout_;
  const std::size_t i = cell(feature, code);
  if (l.by_class) {
    for (std::size_t k = 0; k < l.count_width; ++k)
      stats[k] += count_[i * l.count_width + k];
    return;
  }
  const std::size_t skipped = l.stats_width - l.sum_width;
  if (skipped > 0) stats[0] += count_[i];
  for (std::size_t k = 0; k < l.sum_width; ++k)
    stats[skipped + k] += sum_[i * l.sum_width + k];
}

void CellTable::fill(u32 feature, CodeHistogram& cells,
                     std::vector<u32>& present) const {
  const CellLayout& l = *layout_;
  const std::size_t n_codes = l.n_cells(feature), first = l.first[feature];
  const u32* counts = count_.data() + first * l.count_width;
  const double* sums = sum_.data() + first * l.sum_width;
  cells.count.assign(counts, counts + n_codes * l.count_width);
  cells.sum.clear();
  cells.weight.clear();
  if (l.numbers) {
    for (std::size_t c = 0; c < n_codes; ++c) {
      const double* own = sums + c * l.sum_width;
      if (l.weighted) cells.weight.push_back(own[0]);
      cells.sum.push_back(own[l.sum_width - 2]);
    }
  } else if (!l.by_class) {
    cells.sum.assign(sums, sums + n_codes * l.sum_width);
  }
  present.clear();
  for (u32 c = 0; c < n_codes; ++c)
    if (n(feature, c) > 0) present.push_back(c);
}

void CellTable::write(ByteWriter& out) const {
  // Class after class: neighbouring codes have about as many of each.
  const std::size_t classes = layout_->count_width;
  std::vector<u32> counts(count_.size() / classes);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = count_[i * classes + k];
    pack_counts(out, counts);
  }
  const std::size_t width = layout_->sum_width;
  std::vector<double> plane(width == 0 ? 0 : sum_.size() / width);
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = sum_[i * width + k];
    pack(out, plane);
  }
}

CellTable CellTable::read(ByteReader& in, std::shared_ptr<const CellLayout> layout) {
  CellTable table(std::move(layout));
  const std::size_t classes = table.layout_->count_width;
  if (classes == 0) throw FormatError("cells have no counts");
  std::vector<u32> counts(table.count_.size() / classes);
  for (std::size_t k = 0; k < classes; ++k) {
    unpack_counts(in, counts);
    for (std::size_t i = 0; i < counts.size(); ++i)
      table.count_[i * classes + k] = counts[i];
  }
  const std::size_t width = table.layout_->sum_width;
  std::vector<double> plane(width == 0 ? 0 : table.sum_.size() / width);
  for (std::size_t k = 0; k < width; ++k) {
    unpack(in, plane);
    for (std::size_t i = 0; i < plane.size(); ++i) table.sum_[i * width + k] = plane[i];
  }
  return table;
}

void fill_cells(const CellTable* given, u32 feature, const Column& column,
                const Targets& targets, std::span<const Row> rows, CodeHistogram& cells,
                std::vector<u32>& present, ThreadPool* pool) {
  if (given != nullptr) return given->fill(feature, cells, present);
  fill_cells(column, targets, rows, cells, present, pool);
}

}  // namespace dpdtree
