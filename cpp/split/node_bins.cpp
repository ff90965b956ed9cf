#include "split/node_bins.hpp"

#include <utility>

namespace dpdtree {

bool NodeBins::suits(const CoarseCodes& codes, std::size_t n) {
  constexpr std::size_t kLeastRows = 512;
  constexpr std::size_t kLeastShare = 512;
  return n >= kLeastRows && n >= codes.n_rows() / kLeastShare;
}

NodeBins::NodeBins(const CoarseCodes& codes, std::shared_ptr<const BinCounts> counts,
                   std::span<const Row> rows)
    : codes_(codes), counts_(std::move(counts)), bounds_(codes.n_slots()) {
  if (rows.size() == codes.n_rows() || !codes.has_places()) return;
  members_.resize(codes.n_rows() / 64 + 1);
  for (const Row r : rows) members_[r / 64] |= 1ULL << (r % 64);
}

}  // namespace dpdtree
