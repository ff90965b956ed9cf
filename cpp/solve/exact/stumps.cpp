#include "solve/exact/stumps.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "base/vector_path.hpp"
#include "solve/exact/lane_kernels.hpp"

namespace dpdtree {
namespace {

LaneKernels kernels() {
#if defined(__x86_64__)
  if (vector_path() == VectorPath::avx2) return avx2_kernels();
  if (vector_path() == VectorPath::sse2) return sse2_kernels();
#endif
  return portable_kernels();
}

// Is a row with this step in the lane's subset? Left of cut j: step <= j.
bool in_lane(std::size_t step, std::size_t lane) {
  return lane < kCuts ? step <= lane : step > lane - kCuts;
}

// Orderings with so few groups are walked group by group.
constexpr u32 kRowsPerGroup = 16;

struct alignas(32) LaneRow {
  std::int16_t v[kLanes];
};

// Unweighted rows, no limits, two classes.
class BinaryStumps final : public StumpSolver {
 public:
  explicit BinaryStumps(const ExactData& data) : data_(data) {
    for (std::size_t code = 0; code < table_.size(); ++code)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        table_[code].v[lane] = !in_lane(code / 2, lane) ? 0 : code % 2 == 1 ? 1 : -1;
  }

  void solve(const RankedRows& rows, const std::vector<u8>& step, std::size_t n_cuts,
             std::array<SubsetLoss, kLanes>& out) override {
    code_.resize(data_.label.size());
    i64 sum[kLanes] = {}, count[kLanes] = {};
    tally(rows, step, sum, count);
    high_.fill(0);
    low_.fill(0);
    for (std::size_t f = 0; f < rows.order.size(); ++f) {
      if (rows.n_groups[f] < rows.n / kRowsPerGroup)
        walk_groups(rows.order[f]);
      else
        walk(rows.order[f]);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (lane % kCuts >= n_cuts) continue;
      const i64 n = count[lane], d = sum[lane];
      const i64 best =
          std::max(std::abs(2 * high_[lane] - d), std::abs(2 * low_[lane] - d));
      SubsetLoss& loss = out[lane];
      loss.n = static_cast<u32>(n);
      loss.weight = static_cast<double>(n);
      loss.leaf = static_cast<double>(n - std::abs(d)) / 2;
      loss.stump = loss.relaxed =
          static_cast<double>(n - std::max(best, std::abs(d))) / 2;
    }
  }

 private:
  void tally(const RankedRows& rows, const std::vector<u8>& step, i64* sum,
             i64* count) {
    i64 by_code[2 * (kCuts + 1)] = {};
    for (const u32 entry : rows.order[0]) {
      const u32 i = entry & kRowMask;
      code_[i] = static_cast<u8>(2 * step[i] + data_.label[i]);
      ++by_code[code_[i]];
    }
    for (std::size_t code = 0; code < table_.size(); ++code)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sum[lane] += by_code[code] * table_[code].v[lane];
        count[lane] += by_code[code] * std::abs(table_[code].v[lane]);
      }
  }

  // Few distinct values: first the sum of each group by step, then one update each.
  void walk_groups(const std::vector<u32>& order) {
    i64 left[kCuts] = {}, total = 0;  // running sums: left of each cut, and of all rows
    i32 by_code[2 * (kCuts + 1)] = {};
    for (const u32 entry : order) {
      ++by_code[code_[entry & kRowMask]];
      if ((entry & kGroupEnd) == 0) continue;
      i64 sum = 0;
      for (std::size_t j = 0; j < kCuts; ++j) {
        sum += by_code[2 * j + 1] - by_code[2 * j];
        left[j] += sum;
      }
      total += sum + by_code[2 * kCuts + 1] - by_code[2 * kCuts];
      std::fill(std::begin(by_code), std::end(by_code), 0);
      for (std::size_t j = 0; j < kCuts; ++j) {
        keep_extremes(j, left[j]);
        keep_extremes(kCuts + j, total - left[j]);
      }
    }
  }

  void keep_extremes(std::size_t lane, i64 sum) {
    high_[lane] = std::max(high_[lane], sum);
    low_[lane] = std::min(low_[lane], sum);
  }

  // In chunks whose sums fit 16 bits.
  void walk(const std::vector<u32>& order) {
    const LaneKernels k = kernels();
    i64 base[kLanes] = {};
    for (std::size_t first = 0; first < order.size(); first += kLaneChunk) {
      const std::size_t n = std::min(kLaneChunk, order.size() - first);
      LaneRow sum{}, high, low;
      // Out of reach until the first group of the chunk ends.
      std::fill(high.v, high.v + kLanes, std::int16_t{-32000});
      std::fill(low.v, low.v + kLanes, std::int16_t{32000});
      const bool ties = has_ties(order, first, n);
      k.walk(order.data() + first, n, code_.data(), table_[0].v, ties, sum.v, high.v,
             low.v);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (high.v[lane] != -32000) {
          high_[lane] = std::max(high_[lane], base[lane] + high.v[lane]);
          low_[lane] = std::min(low_[lane], base[lane] + low.v[lane]);
        }
        base[lane] += sum.v[lane];
      }
    }
  }

  static bool has_ties(const std::vector<u32>& order, std::size_t first,
                       std::size_t n) {
    u32 all = kGroupEnd;
    for (std::size_t i = first; i < first + n; ++i) all &= order[i];
    return (all & kGroupEnd) == 0;
  }

  const ExactData& data_;
  std::array<LaneRow, 2 * (kCuts + 1)> table_;
  std::vector<u8> code_;
  std::array<i64, kLanes> high_{}, low_{};
};

// Unweighted rows, no limits, several classes; at most kLaneMax rows.
class ClassStumps final : public StumpSolver {
 public:
  explicit ClassStumps(const ExactData& data) : data_(data), counts_(data.n_classes) {
    for (std::size_t step = 0; step <= kCuts; ++step)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        masks_[step].v[lane] = in_lane(step, lane) ? 1 : 0;
  }

  void solve(const RankedRows& rows, const std::vector<u8>& step, std::size_t n_cuts,
             std::array<SubsetLoss, kLanes>& out) override {
    LaneRow best{};
    describe(rows, step, best, out);
    for (std::size_t f = 0; f < rows.order.size(); ++f) {
      forward_.resize(rows.n_groups[f] + 1);
      const std::size_t cells = rows.n_groups[f] * data_.n_classes;
      if (cells * 2 < rows.n)
        run_groups(rows.order[f], rows.n_groups[f], step, best);
      else
        run(rows.order[f], step, best);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (lane % kCuts >= n_cuts) continue;
      out[lane].stump = out[lane].relaxed = out[lane].weight - best.v[lane];
    }
  }

 private:
  using StepCounts = std::array<std::int16_t, kCuts + 1>;

  void run(const std::vector<u32>& order, const std::vector<u8>& step, LaneRow& best) {
    LaneRow whole;
    kernels().majority(order.data(), order.size(), step.data(), data_.label.data(),
                       masks_[0].v, data_.n_classes, counts_[0].v, forward_[0].v,
                       whole.v, best.v);
  }

  // Few distinct values: counts by group, class and step first, then one update each.
  void run_groups(const std::vector<u32>& order, std::size_t n_groups,
                  const std::vector<u8>& step, LaneRow& best) {
    const std::size_t k_max = data_.n_classes;
    cells_.assign(n_groups * k_max, StepCounts{});
    std::size_t group = 0;
    for (const u32 entry : order) {
      const u32 i = entry & kRowMask;
      ++cells_[group * k_max + data_.label[i]][step[i]];
      group += (entry & kGroupEnd) != 0;
    }
    clear_counts();
    LaneRow top{};
    for (std::size_t g = 0; g < n_groups; ++g) {
      add_group(g, top);
      forward_[g] = top;
    }
    clear_counts();
    top = LaneRow{};
    for (std::size_t g = n_groups; g-- > 0;) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        best.v[lane] = std::max<std::int16_t>(
            best.v[lane], static_cast<std::int16_t>(forward_[g].v[lane] + top.v[lane]));
      add_group(g, top);
    }
  }

  void clear_counts() { std::fill(counts_.begin(), counts_.end(), LaneRow{}); }

  void add_group(std::size_t g, LaneRow& top) {
    for (std::size_t k = 0; k < data_.n_classes; ++k) {
      const StepCounts& c = cells_[g * data_.n_classes + k];
      int total = 0;
      for (const std::int16_t m : c) total += m;
      if (total == 0) continue;
      int left = 0;
      for (std::size_t j = 0; j < kCuts; ++j) {
        left += c[j];
        raise(k, j, left, top);
        raise(k, kCuts + j, total - left, top);
      }
    }
  }

  void raise(std::size_t k, std::size_t lane, int rows, LaneRow& top) {
    std::int16_t& count = counts_[k].v[lane];
    count = static_cast<std::int16_t>(count + rows);
    top.v[lane] = std::max(top.v[lane], count);
  }

  // Sizes, leaf losses and majorities of all subsets.
  void describe(const RankedRows& rows, const std::vector<u8>& step, LaneRow& best,
                std::array<SubsetLoss, kLanes>& out) {
    cells_.assign(data_.n_classes, StepCounts{});
    for (const u32 entry : rows.order[0]) {
      const u32 i = entry & kRowMask;
      ++cells_[data_.label[i]][step[i]];
    }
    clear_counts();
    add_group(0, best);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      int n = 0;
      for (const LaneRow& c : counts_) n += c.v[lane];
      out[lane].n = static_cast<u32>(n);
      out[lane].weight = n;
      out[lane].leaf = n - best.v[lane];
    }
  }

  const ExactData& data_;
  std::array<LaneRow, kCuts + 1> masks_;
  std::vector<LaneRow> counts_, forward_;
  std::vector<StepCounts> cells_;
};

}  // namespace

constexpr std::size_t kLaneMax = 32000;

std::unique_ptr<StumpSolver> make_general_stumps(const ExactData& data,
                                                 const StumpLimits& limits);

std::unique_ptr<StumpSolver> make_stump_solver(const ExactData& data,
                                               const StumpLimits& limits) {
  const bool plain = data.n_classes > 0 && data.weight.empty() &&
                     limits.min_samples_leaf <= 1 && limits.min_weight_leaf <= 1 &&
                     limits.min_samples_split <= 2;
  if (plain && data.n_classes == 2) return std::make_unique<BinaryStumps>(data);
  if (plain && data.label.size() <= kLaneMax)
    return std::make_unique<ClassStumps>(data);
  return make_general_stumps(data, limits);
}

}  // namespace dpdtree
