#include "split/cell_counts.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "data/rows.hpp"
#include "split/code_histogram.hpp"

namespace dpdtree {

CellPlaces::CellPlaces(const std::vector<Column>& columns, const CoarseCodes* coarse,
                       u32 n_classes) {
  constexpr std::size_t kMostCells = 16'384;  // of more, differences take too long
  first.push_back(0);
  for (u32 f = 0; f < columns.size(); ++f) {
    const std::size_t cells = std::size_t{columns[f].n_codes()} * n_classes;
    const bool suits = cells <= kMostCells && !columns[f].order.by_position() &&
                       (coarse == nullptr || coarse->slot(f) < 0);
    first.push_back(first.back() + (suits ? cells : 0));
  }
}

CellCounts::CellCounts(const CellPlaces& places, std::span<const u32> features)
    : places_(&places), has_(places.first.size() - 1, 0), count_(places.first.back()) {
  for (const u32 f : features) has_[f] = places.n_cells(f) > 0;
}

std::size_t CellCounts::n_features() const {
  return std::accumulate(has_.begin(), has_.end(), std::size_t{0});
}

bool CellCounts::has_all_of(const CellCounts& o) const {
  for (std::size_t f = 0; f < has_.size(); ++f)
    if (o.has_[f] > has_[f]) return false;
  return true;
}

void CellCounts::set_rest(const CellCounts& whole, const CellCounts& part) {
  for (u32 f = 0; f < has_.size(); ++f)
    if (has(f))
      std::transform(whole.cells(f).begin(), whole.cells(f).end(),
                     part.cells(f).begin(), cells(f).begin(), std::minus());
}

CellCountCache::CellCountCache(const std::vector<Column>& columns,
                               const CoarseCodes* coarse, const Targets& targets)
    : columns_(columns),
      targets_(targets),
      places_(columns, coarse, targets.n_classes) {
  constexpr std::size_t kMostEntries = 64, kMostBytes = std::size_t{32} << 20;
  const std::size_t each = sizeof(u32) * std::max<std::size_t>(places_.first.back(), 1);
  capacity_ = std::min(kMostEntries, kMostBytes / each);
}

CellCountCache::Counts CellCountCache::of(const NodeView& node,
                                          std::span<const u32> features,
                                          ThreadPool* pool,
                                          const std::function<bool()>& stopped) {
  constexpr std::size_t kLeastRows = 1024, kRowsPerCell = 8;
  if (node.rows.size() < kLeastRows || capacity_ == 0) return nullptr;
  std::vector<u32> counted;  // by searches: they sort the rows of others
  for (const u32 f : features)
    if (places_.n_cells(f) > 0 && suits_cells(columns_[f], targets_, node.rows.size()))
      counted.push_back(f);
  if (counted.empty()) return nullptr;
  auto out = std::make_shared<CellCounts>(places_, counted);
  // Differences go through all cells.
  if (node.rows.size() * out->n_features() < kRowsPerCell * places_.first.back())
    return nullptr;
  if (Counts known = find(node.hash, *out)) return known;
  if (!subtract(node, *out, pool, stopped) && !count(node.rows, *out, pool, stopped))
    return nullptr;
  keep(node.hash, out);
  return out;
}

// False if that is not possible. The hash of both tells whether their parent is known.
bool CellCountCache::subtract(const NodeView& node, CellCounts& out, ThreadPool* pool,
                              const std::function<bool()>& stopped) {
  const std::span<const Row> rows = node.sibling;
  if (rows.empty() || rows.size() >= node.rows.size()) return false;
  const Hash128 sibling = RowHasher{}(rows);
  Hash128 both = node.hash;
  both += sibling;
  const Counts parent = find(both, out);
  if (parent == nullptr) return false;
  if (const Counts known = find(sibling, out)) {
    out.set_rest(*parent, *known);
    return true;
  }
  CellCounts counted = out;
  if (!count(rows, counted, pool, stopped)) return false;
  out.set_rest(*parent, counted);
  return true;
}

bool CellCountCache::count(std::span<const Row> rows, CellCounts& out, ThreadPool* pool,
                           const std::function<bool()>& stopped) const {
  std::vector<u32> features;
  for (u32 f = 0; f < columns_.size(); ++f)
    if (out.has(f)) features.push_back(f);
  std::atomic<bool> complete = true;
  const auto one = [&](std::size_t i, unsigned) {
    if (stopped()) complete = false;
    if (!complete) return;
    const u32 f = features[i];
    CodeHistogram cells;
    std::vector<u32> present;
    fill_cells(columns_[f], targets_, rows, cells, present, pool);
    std::copy_n(cells.count.begin(), out.cells(f).size(), out.cells(f).begin());
  };
  if (pool != nullptr)
    pool->parallel_for(features.size(), one);
  else
    for (std::size_t i = 0; i < features.size(); ++i) one(i, 0);
  return complete;
}

CellCountCache::Counts CellCountCache::find(const Hash128& node,
                                            const CellCounts& wanted) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.node == node && e.counts->has_all_of(wanted);
  });
  if (at == entries_.end()) return nullptr;
  std::rotate(at, at + 1, entries_.end());
  return entries_.back().counts;
}

void CellCountCache::keep(const Hash128& node, Counts counts) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= capacity_) entries_.erase(entries_.begin());
  entries_.push_back({node, std::move(counts)});
}

}  // namespace dpdtree
