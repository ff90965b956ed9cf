#include "split/node_bins.hpp"

#include <utility>

namespace dpdtree {
namespace {

// With more rows a bin too many bins are opened. Several weights of a bin take longer
// to be bounded, and so do numbers.
u32 shift_of(std::size_t n_rows, const BinCounts& counts) {
  const bool several_weights = counts.weights.size() > 2 * counts.rows.size();
  const std::size_t rows_per_bin =
      several_weights ? 8 : (counts.moments.empty() ? 2 : 4);
  u32 shift = 0;
  while (n_rows < rows_per_bin * (CoarseCodes::kBins >> shift)) ++shift;
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
      shift_(shift_of(rows.size(), *counts)),
      counts_(std::move(counts)),
      bounds_(codes.n_slots()) {
  if (rows.size() == codes.n_rows() || !codes.has_positions()) return;
  members_.resize(codes.n_rows() / 64 + 1);
  for (const Row r : rows) members_[r / 64] |= 1ULL << (r % 64);
}

}  // namespace dpdtree
