#include "split/node_bins.hpp"

#include <algorithm>
#include <array>
#include <mutex>

namespace dpdtree {
namespace {

constexpr std::size_t kBins = CoarseCodes::kBins;
using GroupCounts = std::array<u64, CoarseCodes::kLanes * kBins>;

template <std::size_t n_lanes>
void count_rows(const u32* words, const u16* label, std::span<const Row> rows,
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

}  // namespace

NodeBins::NodeBins(const CoarseCodes& codes, const Targets& targets,
                   std::span<const Row> rows, std::span<const u32> features,
                   ThreadPool* pool, const std::function<bool()>& stopped)
    : codes_(codes), counts_(kBins * codes.n_slots()), bounds_(codes.n_slots()) {
  std::vector<u8> wanted(codes.groups().size(), 0);
  for (const u32 f : features)
    if (covers(f))
      wanted[static_cast<std::size_t>(codes.slot(f)) / CoarseCodes::kLanes] = 1;
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; g < wanted.size(); ++g)
    if (wanted[g]) groups.push_back(g);
  if (pool == nullptr) {
    for (const std::size_t g : groups) {
      if (stopped()) return;
      count(codes.groups()[g], targets, rows,
            counts_.data() + kBins * CoarseCodes::kLanes * g);
    }
    enrol(rows);
    return;
  }
  // Pieces of rows as well, where groups are few.
  const std::size_t pieces =
      groups.size() >= 4 * pool->size() ? 1 : n_pieces(pool, rows.size());
  std::mutex mutex;
  pool->parallel_for(pieces * groups.size() + 1, [&](std::size_t task, unsigned) {
    if (task == 0) return enrol(rows);
    if (stopped()) return;
    const std::size_t g = groups[(task - 1) / pieces], p = (task - 1) % pieces;
    const std::size_t begin = rows.size() * p / pieces;
    const std::size_t end = rows.size() * (p + 1) / pieces;
    GroupCounts own{};
    count(codes.groups()[g], targets, rows.subspan(begin, end - begin), own.data());
    const std::lock_guard lock(mutex);
    u64* sums = counts_.data() + own.size() * g;
    for (std::size_t i = 0; i < own.size(); ++i) sums[i] += own[i];
  });
}

void NodeBins::count(const CoarseCodes::Group& group, const Targets& targets,
                     std::span<const Row> rows, u64* sums) const {
  const u32* words = group.words.data();
  const u16* label = targets.label.data();
  switch (group.features.size()) {
    case 1:
      return count_rows<1>(words, label, rows, sums);
    case 2:
      return count_rows<2>(words, label, rows, sums);
    case 3:
      return count_rows<3>(words, label, rows, sums);
    default:
      return count_rows<4>(words, label, rows, sums);
  }
}

void NodeBins::enrol(std::span<const Row> rows) {
  if (rows.size() == codes_.n_rows()) return;
  members_.resize(codes_.n_rows() / 64 + 1);
  for (const Row r : rows) members_[r / 64] |= 1ULL << (r % 64);
}

}  // namespace dpdtree
