#include "split/row_sort.hpp"

#include <algorithm>

namespace dpdtree {

std::span<const u32> sort_keys(const Column& column, const Targets& targets,
                               std::span<const Row> rows, u32 bits, SplitScratch& s) {
  s.small_keys.resize(rows.size());
  visit_codes(column.code, [&](const auto* code) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      s.small_keys[i] = u32{code[rows[i]]} << bits | targets.label[rows[i]];
  });
  std::sort(s.small_keys.begin(), s.small_keys.end());
  return s.small_keys;
}

std::span<const u32> sort_rows(const Column& column, std::span<const Row> rows,
                               SplitScratch& s) {
  s.small_rows.resize(rows.size());
  s.small_keys.resize(rows.size());
  visit_codes(column.code, [&](const auto* code) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      s.small_rows[i] = u64{code[rows[i]]} << 32 | rows[i];
  });
  std::sort(s.small_rows.begin(), s.small_rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i)
    s.small_keys[i] = static_cast<u32>(s.small_rows[i]);
  return s.small_keys;
}

}  // namespace dpdtree
