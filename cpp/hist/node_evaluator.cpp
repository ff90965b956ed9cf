#include "hist/node_evaluator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "simd/dispatch.hpp"

namespace dpdtree::boosting {
namespace {

// Below this many cells and bins, waking other threads costs more than they help.
constexpr std::size_t kWorkForThreads = 8'000;
constexpr std::size_t kWaitingBytes = std::size_t{256} << 20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Bin* HistogramStore::take() {
  const std::lock_guard lock(*mutex_);
  if (free_.empty()) {
    all_.emplace_back(size_);
    return all_.back().data();
  }
  Bin* histogram = free_.back();
  free_.pop_back();
  return histogram;
}

void HistogramStore::give_back(Bin* histogram) {
  if (histogram == nullptr) return;
  const std::lock_guard lock(*mutex_);
  free_.push_back(histogram);
}

void HistogramStore::reclaim() {
  free_.clear();
  for (std::vector<Bin>& histogram : all_) free_.push_back(histogram.data());
}

std::size_t HistogramStore::max_waiting() const {
  return std::max<std::size_t>(8, kWaitingBytes / (size_ * sizeof(Bin) + 1));
}

GradientSum NodeEvaluator::sum(const RowSet& rows) {
  std::vector<GradientSum> parts(n_pieces(pool_, rows.size));
  for_pieces(pool_, rows.size, parts.size(),
             [&](std::size_t begin, std::size_t end, std::size_t piece) {
               i64 gradient = 0;
               i64 hessian = 0;
               for (std::size_t i = begin; i < end; ++i) {
                 gradient += rows.gradients[i].gradient;
                 hessian += rows.gradients[i].hessian;
               }
               parts[piece] = {gradient, hessian, static_cast<i64>(end - begin)};
             });
  return std::accumulate(parts.begin(), parts.end(), GradientSum{});
}

namespace {

void clear(Bin* bins, std::size_t n) {
  std::memset(static_cast<void*>(bins), 0, n * sizeof(Bin));
}

void accumulate(const BinnedData& data, const Block& block, const RowSet& rows,
                u32 count_bits, Bin* bins) {
  kernels().gradient.accumulate(block.width, block.used, data.block_codes(block),
                                rows.rows, rows.gradients, rows.size, count_bits, bins);
}

// Through packed cells: the kernel is the same, and so many rows leave a mass room for
// hessians of 30 bits.
void fill_wide(const BinnedData& data, const Block& block, const RowSet& rows,
               Bin* cells) {
  constexpr std::size_t kRowsAtOnce = std::size_t{1} << 15;
  Units packed;
  packed.count_bits = 16;
  const std::size_t n = std::size_t{block.n_bins} * block.width;
  std::array<Bin, 256 * 8> bins;
  clear(cells, 2 * n);
  for (std::size_t begin = 0; begin < rows.size; begin += kRowsAtOnce) {
    const RowSet some = rows.part(begin, std::min(rows.size, begin + kRowsAtOnce));
    clear(bins.data(), n);
    accumulate(data, block, some, packed.count_bits, bins.data());
    for (std::size_t i = 0; i < n; ++i) {
      const GradientSum sum = packed.sum_of_packed(bins[i]);
      cells[2 * i] += Bin{sum.gradient, sum.hessian};
      cells[2 * i + 1].mass += sum.count;
    }
  }
}

}  // namespace

void fill_block(const BinnedData& data, const Block& block, const RowSet& rows,
                const Units& units, Bin* histogram) {
  Bin* cells = histogram + block.bins_at * units.bins_per_cell();
  if (units.wide()) return fill_wide(data, block, rows, cells);
  clear(cells, std::size_t{block.n_bins} * block.width);
  accumulate(data, block, rows, units.count_bits, cells);
}

void NodeEvaluator::fill(const Block& block, const NodeSearch& s) const {
  fill_block(*data_, block, s.rows, finder_->units(), s.histogram);
}

void NodeEvaluator::search_one(const NodeSearch& one) {
  FamilySearch family;
  family.add(one);
  fetch({&family, 1});
  search(family);
}

// CodeHistogram to add up, and bins to go through.
std::size_t NodeEvaluator::work_of(const FamilySearch& family) const {
  std::size_t work = 0;
  for (std::size_t i = 0; i < family.n; ++i)
    work +=
        family.nodes[i].rows.size * data_->columns().size() + data_->histogram_size();
  return work;
}

void NodeEvaluator::search_block(const Block& block, const FamilySearch& family,
                                 double* reached, FoundSplit* found) const {
  const std::size_t bins_per_cell = finder_->units().bins_per_cell();
  const std::size_t at = block.bins_at * bins_per_cell;
  const std::size_t n = std::size_t{block.n_bins} * block.width * bins_per_cell;
  for (std::size_t i = 0; i < family.n; ++i) {
    const NodeSearch& s = family.nodes[i];
    if (s.from == nullptr) {
      fill(block, s);
    } else {
      Bin* bins = s.histogram + at;
      const Bin* from = s.from + at;
      const Bin* sibling = family.nodes[0].histogram + at;
      for (std::size_t k = 0; k < n; ++k) bins[k] = from[k] - sibling[k];
    }
    if (s.found != nullptr)
      found[i] = finder_->best_of_block(block, s.histogram, *s.node, reached[i]);
  }
}

void NodeEvaluator::search(const FamilySearch& family) {
  check_stop();
  const auto blocks = data_->blocks();
  std::vector<FoundSplit> found(2 * blocks.size());  // [block][node]
  // A stretch of blocks per thread, the same ones of all nodes as a rule: histograms
  // and codes stay in the cache of their thread, and fetching them from that of another
  // one takes longer than the work itself.
  const std::size_t stretches =
      work_of(family) < kWorkForThreads
          ? 1
          : std::min<std::size_t>(pool_->size(), blocks.size());
  for_pieces(pool_, blocks.size(), stretches,
             [&](std::size_t begin, std::size_t end, std::size_t) {
               double reached[2] = {-kInfinity, -kInfinity};
               for (std::size_t b = begin; b < end; ++b)
                 search_block(blocks[b], family, reached, &found[2 * b]);
             });
  for (std::size_t i = 0; i < family.n; ++i) {
    const NodeSearch& s = family.nodes[i];
    if (s.found == nullptr) continue;
    FoundSplit& best = *s.found;
    best = {};
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (SplitFinder::better(found[2 * b + i], best)) best = found[2 * b + i];
    if (best.valid) finder_->complete(best, s.histogram, *s.node);
  }
}

}  // namespace dpdtree::boosting
