#include "split/coarse_codes.hpp"

#include <algorithm>
#include <bit>

namespace dpdtree {
namespace {

constexpr std::size_t kLeastRows = 2048;
constexpr std::size_t kMostRows = 90'000'000;  // their square is exact as a double

bool suits(const Column& column, const ScanKeys& keys) {
  return column.order.by_place() && keys.in_use && column.n_missing == 0;
}

}  // namespace

CoarseCodes::CoarseCodes(const std::vector<Column>& columns,
                         const std::vector<ScanKeys>& keys, std::size_t n_rows,
                         ThreadPool& pool)
    : n_rows_(n_rows), slot_(columns.size(), -1) {
  if (n_rows < kLeastRows || n_rows > kMostRows) return;
  const auto bits = static_cast<u32>(std::bit_width(n_rows - 1));
  shift_ = bits - static_cast<u32>(std::bit_width(kBins - 1));
  for (u32 f = 0; f < columns.size(); ++f) {
    if (!suits(columns[f], keys[f])) continue;
    if (groups_.empty() || groups_.back().features.size() == kLanes)
      groups_.emplace_back();
    slot_[f] = static_cast<i32>(kLanes * (groups_.size() - 1) +
                                groups_.back().features.size());
    groups_.back().features.push_back(f);
  }
  pool.parallel_for(groups_.size(),
                    [&](std::size_t g, unsigned) { fill(columns, groups_[g], pool); });
}

void CoarseCodes::fill(const std::vector<Column>& columns, Group& group,
                       ThreadPool& pool) const {
  group.words.resize(n_rows_);
  for_pieces(&pool, n_rows_, n_pieces(&pool, n_rows_),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               u32* words = group.words.data();
               std::fill(words + begin, words + end, 0u);
               for (u32 lane = 0; lane < group.features.size(); ++lane)
                 visit_codes(columns[group.features[lane]].code, [&](const auto* code) {
                   for (std::size_t r = begin; r < end; ++r)
                     words[r] |= (u32{code[r]} >> shift_) << (8 * lane);
                 });
             });
}

}  // namespace dpdtree
