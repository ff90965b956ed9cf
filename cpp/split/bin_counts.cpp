#include "split/bin_counts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dpdtree {
namespace {

constexpr std::size_t kBins = CoarseCodes::kBins;
using GroupCounts = std::array<u64, CoarseCodes::kLanes * kBins>;

template <std::size_t n_lanes>
void count_lanes(const u32* words, const u16* label, std::span<const Row> rows,
                 u64* counts) {
  constexpr std::size_t kAhead = 32;
  const std::size_t n = rows.size();
  const auto add = [=](Row r) {
    const u32 word = words[r];
    const u64 one = u64{label[r]} << 32 | 1;
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      counts[kBins * lane + (word >> (8 * lane) & (kBins - 1))] += one;
  };
  std::size_t i = 0;
  for (; i + kAhead < n; ++i) {
    __builtin_prefetch(words + rows[i + kAhead]);
    add(rows[i]);
  }
  for (; i < n; ++i) add(rows[i]);
}

void count_group(const CoarseCodes::Group& group, const Targets& targets,
                 std::span<const Row> rows, u64* counts) {
  const u32* words = group.words.data();
  const u16* label = targets.label.data();
  switch (group.features.size()) {
    case 1:
      return count_lanes<1>(words, label, rows, counts);
    case 2:
      return count_lanes<2>(words, label, rows, counts);
    case 3:
      return count_lanes<3>(words, label, rows, counts);
    default:
      return count_lanes<4>(words, label, rows, counts);
  }
}

}  // namespace

BinCounts::BinCounts(const CoarseCodes& codes, std::span<const u32> features)
    : has_group(codes.groups().size(), 0), counts(kBins * codes.n_slots()) {
  for (const u32 f : features)
    if (codes.slot(f) >= 0)
      has_group[static_cast<std::size_t>(codes.slot(f)) / CoarseCodes::kLanes] = 1;
}

bool BinCounts::empty() const {
  return std::find(has_group.begin(), has_group.end(), 1) == has_group.end();
}

bool BinCounts::has_groups_of(const BinCounts& o) const {
  for (std::size_t g = 0; g < has_group.size(); ++g)
    if (o.has_group[g] > has_group[g]) return false;
  return true;
}

bool count_rows(const CoarseCodes& codes, const Targets& targets,
                std::span<const Row> rows, ThreadPool* pool,
                const std::function<bool()>& stopped, BinCounts& out) {
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < out.has_group.size(); ++g)
    if (out.has_group[g] != 0) groups.push_back(g);
  const auto sums = [&](std::size_t g) {
    return out.counts.data() + std::tuple_size_v<GroupCounts> * g;
  };
  if (pool == nullptr) {
    for (const std::size_t g : groups) {
      if (stopped()) return false;
      count_group(codes.groups()[g], targets, rows, sums(g));
    }
    return true;
  }
  // Pieces of rows as well, where groups are few.
  const std::size_t pieces =
      groups.size() >= 4 * pool->size() ? 1 : n_pieces(pool, rows.size());
  std::mutex mutex;
  bool complete = true;
  pool->parallel_for(pieces * groups.size(), [&](std::size_t task, unsigned) {
    const std::size_t g = groups[task / pieces], p = task % pieces;
    const std::size_t begin = rows.size() * p / pieces;
    const std::size_t end = rows.size() * (p + 1) / pieces;
    GroupCounts own{};
    const bool stop = stopped();
    if (!stop)
      count_group(codes.groups()[g], targets, rows.subspan(begin, end - begin),
                  own.data());
    const std::lock_guard lock(mutex);
    complete &= !stop;
    for (std::size_t i = 0; i < own.size(); ++i) sums(g)[i] += own[i];
  });
  return complete;
}

BinCountCache::BinCountCache(const CoarseCodes& codes) {
  constexpr std::size_t kMostEntries = 32, kMostBytes = std::size_t{64} << 20;
  const std::size_t each =
      sizeof(u64) * kBins * std::max<std::size_t>(codes.n_slots(), 1);
  capacity_ = std::min(kMostEntries, kMostBytes / each);
}

BinCountCache::Counts BinCountCache::find(const Hash128& node,
                                          const BinCounts& wanted) const {
  for (const Entry& e : entries_)
    if (e.node == node && e.counts->has_groups_of(wanted)) return e.counts;
  return nullptr;
}

bool BinCountCache::fill(const Hash128& node, BinCounts& out) {
  Counts whole, part;
  {
    const std::lock_guard lock(mutex_);
    whole = find(node, out);
    for (std::size_t i = entries_.size(); whole == nullptr && i-- > 0;) {
      if (!entries_[i].counts->has_groups_of(out)) continue;
      part = find(entries_[i].node - node, out);
      if (part == nullptr) continue;
      whole = entries_[i].counts;
      const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(at, at + 1, entries_.end());
    }
  }
  if (whole == nullptr) return false;
  out.counts = whole->counts;
  if (part != nullptr)
    for (std::size_t i = 0; i < out.counts.size(); ++i)
      out.counts[i] -= part->counts[i];
  return true;
}

void BinCountCache::keep(const Hash128& node, Counts counts) {
  const std::lock_guard lock(mutex_);
  if (capacity_ == 0 || find(node, *counts) != nullptr) return;
  if (entries_.size() >= capacity_) entries_.erase(entries_.begin());
  entries_.push_back({node, std::move(counts)});
}

}  // namespace dpdtree
