#include "boosting/workbench.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace dpdtree::boosting {
namespace {

// Below this many cells and bins, waking other threads costs more than they help.
constexpr std::size_t kWorkForThreads = 40'000;
constexpr std::size_t kRowsForThreads = 30'000;
constexpr std::size_t kRowsPerTask = 8192;
constexpr std::size_t kWaitingBytes = std::size_t{256} << 20;

struct Sides {
  std::size_t left = 0;
  std::size_t right = 0;
};

// Both sides are written without a branch: whichever is wrong is overwritten next.
Sides divide_rows(const RowSet& in, LaneCodes codes, const SideTable& left, Row* l_rows,
                  RowGradient* l_gradients, Row* r_rows, RowGradient* r_gradients) {
  std::size_t n_left = 0;
  std::size_t n_right = 0;
  for (std::size_t i = 0; i < in.size; ++i) {
    const Row row = in.rows[i];
    const RowGradient gradient = in.gradients[i];
    const u8 is_left = left[codes.data[std::size_t{row} * codes.stride]];
    l_rows[n_left] = row;
    l_gradients[n_left] = gradient;
    // The right side grows downwards from r_rows.
    *(r_rows - n_right) = row;
    *(r_gradients - n_right) = gradient;
    n_left += is_left;
    n_right += is_left ^ 1u;
  }
  return {n_left, n_right};
}

}  // namespace

Bin* HistogramStore::take() {
  if (free_.empty()) {
    all_.emplace_back(size_);
    return all_.back().data();
  }
  Bin* histogram = free_.back();
  free_.pop_back();
  return histogram;
}

void HistogramStore::reclaim() {
  free_.clear();
  for (std::vector<Bin>& histogram : all_) free_.push_back(histogram.data());
}

std::size_t HistogramStore::max_waiting() const {
  return std::max<std::size_t>(8, kWaitingBytes / (size_ * sizeof(Bin) + 1));
}

Bin Workbench::sum(const RowSet& rows) const {
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

void Workbench::fill(const Block& block, const NodeSearch& s) const {
  const std::size_t n = std::size_t{block.n_bins} * block.width;
  Bin* bins = s.histogram + block.bins_at;
  std::memset(static_cast<void*>(bins), 0, n * sizeof(Bin));
  kernels().accumulate(block.width, block.used, data_->block_codes(block), s.rows.rows,
                       s.rows.gradients, s.rows.size, finder_->units().count_bits,
                       bins);
}

void Workbench::search(const NodeSearch& one) {
  FamilySearch family;
  family.add(one);
  search({&family, 1});
}

// Cells to add up, and bins to go through.
std::size_t Workbench::work_of(std::span<const FamilySearch> families) const {
  std::size_t work = 0;
  for (const FamilySearch& family : families)
    for (std::size_t i = 0; i < family.n; ++i)
      work +=
          family.nodes[i].rows.size * data_->lanes().size() + data_->histogram_size();
  return work;
}

void Workbench::search_block(const Block& block, const FamilySearch& family,
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

void Workbench::search(std::span<const FamilySearch> families) {
  check_stop();
  const auto blocks = data_->blocks();
  const std::size_t n_tasks = families.size() * blocks.size();
  std::vector<FoundSplit> found(2 * n_tasks);  // [family][block][node]
  const auto one_block = [&](std::size_t task, unsigned) {
    search_block(blocks[task % blocks.size()], families[task / blocks.size()],
                 &found[2 * task]);
  };
  if (pool_->size() == 1 || work_of(families) < kWorkForThreads)
    for (std::size_t task = 0; task < n_tasks; ++task) one_block(task, 0);
  else
    pool_->parallel_for(n_tasks, one_block);
  for (std::size_t f = 0; f < families.size(); ++f)
    for (std::size_t i = 0; i < families[f].n; ++i) {
      if (families[f].nodes[i].found == nullptr) continue;
      FoundSplit& best = *families[f].nodes[i].found;
      best = {};
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const FoundSplit& here = found[2 * (f * blocks.size() + b) + i];
        if (SplitFinder::better(here, best)) best = here;
      }
    }
}

bool Workbench::divides_in_parallel(std::size_t n_rows) const {
  return n_rows >= kRowsForThreads && pool_->has_idle();
}

std::size_t Workbench::divide(const RowSet& rows, const SplitRule& rule,
                              const RowSet& out) {
  const SideTable left = data_->sides(rule);
  const LaneCodes codes = data_->codes_of(rule.feature);
  if (divides_in_parallel(rows.size)) return divide_in_parallel(rows, codes, left, out);
  if (rows.size == 0) return 0;
  return divide_rows(rows, codes, left, out.rows, out.gradients,
                     out.rows + out.size - 1, out.gradients + out.size - 1)
      .left;
}

// The same order as in one go: chunk after chunk, into buffers first because the
// branch-free loop writes one place too far.
std::size_t Workbench::divide_in_parallel(const RowSet& rows, LaneCodes codes,
                                          const SideTable& left, const RowSet& out) {
  const std::size_t n_tasks = (rows.size + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<Sides> counts(n_tasks);
  const auto chunk = [&](std::size_t task) {
    return rows.part(task * kRowsPerTask,
                     std::min(rows.size, (task + 1) * kRowsPerTask));
  };
  pool_->parallel_for(n_tasks, [&](std::size_t task, unsigned) {
    const RowSet in = chunk(task);
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < in.size; ++i)
      n_left += left[codes.data[std::size_t{in.rows[i]} * codes.stride]];
    counts[task] = {n_left, in.size - n_left};
  });
  std::vector<Sides> before(n_tasks);
  Sides sum;
  for (std::size_t t = 0; t < n_tasks; ++t) {
    before[t] = sum;
    sum.left += counts[t].left;
    sum.right += counts[t].right;
  }
  pool_->parallel_for(n_tasks, [&](std::size_t task, unsigned) {
    const RowSet in = chunk(task);
    std::vector<Row> row(in.size + 2);
    std::vector<RowGradient> gradient(in.size + 2);
    const std::size_t last = in.size + 1;
    const Sides n = divide_rows(in, codes, left, row.data(), gradient.data(),
                                row.data() + last, gradient.data() + last);
    const std::size_t to_left = before[task].left;
    const std::size_t to_right = out.size - before[task].right - n.right;
    std::copy_n(row.data(), n.left, out.rows + to_left);
    std::copy_n(gradient.data(), n.left, out.gradients + to_left);
    std::copy_n(row.data() + last + 1 - n.right, n.right, out.rows + to_right);
    std::copy_n(gradient.data() + last + 1 - n.right, n.right,
                out.gradients + to_right);
  });
  return sum.left;
}

}  // namespace dpdtree::boosting
