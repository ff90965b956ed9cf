#include "solve/exact/stumps.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "solve/exact/lane_kernels.hpp"

namespace dpdtree {
namespace {

LaneKernels best_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return avx2_kernels();
  return sse2_kernels();
#else
  return portable_kernels();
#endif
}

LaneKernels& kernels() {
  static LaneKernels chosen = best_kernels();
  return chosen;
}

// Is a row with this step in the lane's subset? Left of cut j: step <= j.
bool in_lane(std::size_t step, std::size_t lane) {
  return lane < kCuts ? step <= lane : step > lane - kCuts;
}

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
    for (const auto& order : rows.order) walk(order);
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

  // In chunks whose sums fit 16 bits.
  void walk(const std::vector<u32>& order) {
    const LaneKernels& k = kernels();
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
  explicit ClassStumps(const ExactData& data) : data_(data) {
    for (std::size_t step = 0; step <= kCuts; ++step)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        masks_[step].v[lane] = in_lane(step, lane) ? 1 : 0;
  }

  void solve(const RankedRows& rows, const std::vector<u8>& step, std::size_t n_cuts,
             std::array<SubsetLoss, kLanes>& out) override {
    const LaneKernels& k = kernels();
    forward_.resize(rows.n);
    backward_.resize(rows.n);
    LaneRow best{};
    std::vector<LaneRow> counts(data_.n_classes);
    for (const auto& order : rows.order) {
      run(k, order, false, step, counts, forward_);
      if (&order == &rows.order.front()) {
        best = forward_.back();  // the majority of the whole subset
        describe(counts, out);
      }
      run(k, order, true, step, counts, backward_);
      k.combine(order.data(), order.size(), forward_[0].v, backward_[0].v, best.v);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (lane % kCuts >= n_cuts) continue;
      out[lane].stump = out[lane].relaxed = out[lane].weight - best.v[lane];
    }
  }

 private:
  void run(const LaneKernels& k, const std::vector<u32>& order, bool backwards,
           const std::vector<u8>& step, std::vector<LaneRow>& counts,
           std::vector<LaneRow>& largest) {
    std::memset(counts.data(), 0, counts.size() * sizeof(LaneRow));
    LaneRow running{};
    k.majority(order.data(), order.size(), backwards, step.data(), data_.label.data(),
               masks_[0].v, counts[0].v, running.v, largest[0].v);
  }

  // Sizes and leaf losses from the final counts of a whole pass.
  void describe(const std::vector<LaneRow>& counts,
                std::array<SubsetLoss, kLanes>& out) const {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      int n = 0, top = 0;
      for (const LaneRow& c : counts) {
        n += c.v[lane];
        top = std::max<int>(top, c.v[lane]);
      }
      out[lane].n = static_cast<u32>(n);
      out[lane].weight = n;
      out[lane].leaf = n - top;
    }
  }

  const ExactData& data_;
  std::array<LaneRow, kCuts + 1> masks_;
  std::vector<LaneRow> forward_, backward_;
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

const char* vector_path() { return kernels().name; }

bool force_vector_path(const char* name) {
  const std::string_view wanted(name);
  if (wanted == "best") {
    kernels() = best_kernels();
    return true;
  }
  if (wanted == "portable") {
    kernels() = portable_kernels();
    return true;
  }
#if defined(__x86_64__)
  if (wanted == "sse2") {
    kernels() = sse2_kernels();
    return true;
  }
  if (wanted == "avx2" && __builtin_cpu_supports("avx2")) {
    kernels() = avx2_kernels();
    return true;
  }
#endif
  return false;
}

}  // namespace dpdtree
