#include "hist/node_evaluator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "simd/dispatch.hpp"

namespace dpdtree::boosting {
namespace {

// Below this many cells and bins, waking other threads costs more than they help.
constexpr std::size_t kWorkForThreads = 40'000;
constexpr std::size_t kWaitingBytes = std::size_t{256} << 20;

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

Bin NodeEvaluator::sum(const RowSet& rows) {
  const u32 bits = finder_->units().count_bits;
  std::vector<Bin> parts(n_pieces(pool_, rows.size));
  for_pieces(pool_, rows.size, parts.size(),
             [&](std::size_t begin, std::size_t end, std::size_t piece) {
               i64 gradient = 0;
               i64 hessian = 0;
               for (std::size_t i = begin; i < end; ++i) {
                 gradient += rows.gradients[i].gradient;
                 hessian += rows.gradients[i].hessian;
               }
               const auto count = static_cast<i64>(end - begin);
               parts[piece] = {gradient, (hessian << bits) + count};
             });
  return std::accumulate(parts.begin(), parts.end(), Bin{});
}

void fill_block(const BinnedData& data, const Block& block, const RowSet& rows,
                u32 count_bits, Bin* histogram) {
  const std::size_t n = std::size_t{block.n_bins} * block.width;
  Bin* bins = histogram + block.bins_at;
  std::memset(static_cast<void*>(bins), 0, n * sizeof(Bin));
  kernels().gradient.accumulate(block.width, block.used, data.block_codes(block),
                                rows.rows, rows.gradients, rows.size, count_bits, bins);
}

void NodeEvaluator::fill(const Block& block, const NodeSearch& s) const {
  fill_block(*data_, block, s.rows, finder_->units().count_bits, s.histogram);
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
                                 FoundSplit* found) const {
  for (std::size_t i = 0; i < family.n; ++i) {
    const NodeSearch& s = family.nodes[i];
    Bin* bins = s.histogram + block.bins_at;
    if (s.from == nullptr) {
      fill(block, s);
    } else {
      const Bin* from = s.from + block.bins_at;
      const Bin* sibling = family.nodes[0].histogram + block.bins_at;
      const std::size_t n = std::size_t{block.n_bins} * block.width;
      for (std::size_t k = 0; k < n; ++k) bins[k] = from[k] - sibling[k];
    }
    if (s.found != nullptr)
      found[i] = finder_->best_of_block(block, s.histogram, *s.node);
  }
}

void NodeEvaluator::search(const FamilySearch& family) {
  check_stop();
  const auto blocks = data_->blocks();
  std::vector<FoundSplit> found(2 * blocks.size());  // [block][node]
  const auto one_block = [&](std::size_t b, unsigned) {
    search_block(blocks[b], family, &found[2 * b]);
  };
  if (work_of(family) < kWorkForThreads)
    for (std::size_t b = 0; b < blocks.size(); ++b) one_block(b, 0);
  else
    pool_->parallel_for(blocks.size(), one_block);
  for (std::size_t i = 0; i < family.n; ++i) {
    if (family.nodes[i].found == nullptr) continue;
    FoundSplit& best = *family.nodes[i].found;
    best = {};
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (SplitFinder::better(found[2 * b + i], best)) best = found[2 * b + i];
  }
}

}  // namespace dpdtree::boosting
