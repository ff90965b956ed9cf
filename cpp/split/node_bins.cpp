#include "split/node_bins.hpp"

#include <utility>

namespace dpdtree {
namespace {

u32 shift_of(std::size_t n_rows) {
  constexpr std::size_t kRowsPerBin = 2;  // with more of them too many bins are opened
  u32 shift = 0;
  while (n_rows < kRowsPerBin * (CoarseCodes::kBins >> shift)) ++shift;
  return shift;
}

}  // namespace

bool NodeBins::suits(const CoarseCodes& codes, std::size_t n) {
  constexpr std::size_t kLeastRows = 256;
  constexpr std::size_t kLeastShare = 512;
  return n >= kLeastRows && n >= codes.n_rows() / kLeastShare;
}

NodeBins::NodeBins(const CoarseCodes& codes, std::shared_ptr<const BinCounts> counts,
                   std::span<const Row> rows)
    : codes_(codes),
      shift_(shift_of(rows.size())),
      counts_(std::move(counts)),
      bounds_(codes.n_slots()) {
  if (rows.size() == codes.n_rows() || !codes.has_positions()) return;
  members_.resize(codes.n_rows() / 64 + 1);
  for (const Row r : rows) members_[r / 64] |= 1ULL << (r % 64);
}

}  // namespace dpdtree
