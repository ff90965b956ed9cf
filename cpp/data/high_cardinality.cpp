#include "data/high_cardinality.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace dpdtree {
namespace {

// Up to this share of tied rows codes are positions; positions of ties are looked up.
constexpr std::size_t kFewTies = 16;

using Pieces = std::vector<std::vector<ColumnOrder::Tie>>;

// Rows [begin, end) of the order: code = position of the first row with that value.
template <class Code>
void places_to_codes(const ColumnOrder& order, std::size_t begin, std::size_t end,
                     Code* code, std::vector<ColumnOrder::Tie>& ties) {
  std::size_t start = begin;
  while (begin < end && !order.starts_at(start)) --start;
  for (std::size_t p = begin; p < end; ++p) {
    const Row row = order.sorted[p];
    if (order.starts_at(p))
      start = p;
    else
      ties.push_back({row, static_cast<u32>(p)});
    code[row] = static_cast<Code>(start);
  }
}

void code_by_position(Column& column, ThreadPool* pool) {
  ColumnOrder& order = column.order;
  const std::size_t n = order.sorted.size();
  column.n_values = static_cast<u32>(n - column.n_missing);
  column.code = make_codes(n, column.n_codes());
  Pieces ties(n_pieces(pool, n));
  std::visit(
      [&](auto& code) {
        for_pieces(pool, n, ties.size(),
                   [&](std::size_t begin, std::size_t end, std::size_t p) {
                     places_to_codes(order, begin, end, code.data(), ties[p]);
                   });
      },
      column.code);
  for (const auto& some : ties)
    order.ties.insert(order.ties.end(), some.begin(), some.end());
  std::sort(order.ties.begin(), order.ties.end(),
            [](const auto& a, const auto& b) { return a.row < b.row; });
  if (!order.ties.empty()) order.ties.push_back({~Row{0}, 0});
}

void code_by_rank(Column& column, std::size_t n_distinct) {
  ColumnOrder& order = column.order;
  const std::size_t n = order.sorted.size();
  column.n_values = static_cast<u32>(n_distinct);
  column.code = make_codes(n, column.n_codes());
  order.position = make_codes(n, static_cast<u32>(n));
  order.first_row.reserve(column.n_codes());
  std::visit(
      [&](auto& code, auto& position) {
        using Code = typename std::decay_t<decltype(code)>::value_type;
        using Position = typename std::decay_t<decltype(position)>::value_type;
        for (std::size_t p = 0; p < n; ++p) {
          const Row row = order.sorted[p];
          if (order.starts_at(p)) order.first_row.push_back(row);
          code[row] = static_cast<Code>(order.first_row.size() - 1);
          position[row] = static_cast<Position>(p);
        }
      },
      column.code, order.position);
  order.starts = {};
}

}  // namespace

Column encode_many_values(std::span<const double> values, const MatrixView& x,
                          SortScratch& scratch, ThreadPool* pool) {
  const std::size_t n = values.size();
  SortedRows found = sort_rows(values, scratch, pool);
  Column column;
  column.has_order = true;
  column.n_missing = static_cast<u32>(n - found.rows.size());
  ColumnOrder& order = column.order;
  order.x = x;
  order.sorted = std::move(found.rows);
  order.starts = std::move(found.starts);
  if (column.n_missing > 0) {
    order.sorted.reserve(n);
    for (u32 row = 0; row < n; ++row)
      if (std::isnan(values[row])) order.sorted.push_back(row);
    order.starts.resize(n / 64 + 1, 0);
    order.starts[n / 64] |= 1ULL << (n % 64);
  }
  const std::size_t n_groups = found.n_distinct + (column.n_missing > 0);
  if (n - n_groups <= n / kFewTies)
    code_by_position(column, pool);
  else
    code_by_rank(column, found.n_distinct);
  return column;
}

}  // namespace dpdtree
