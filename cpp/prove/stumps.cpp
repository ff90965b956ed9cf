#include "prove/stumps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

// Is a row with this step in the lane's subset? Left of cut j: step <= j.
bool in_lane(std::size_t step, std::size_t lane) {
  return lane < kCuts ? step <= lane : step > lane - kCuts;
}

// Unweighted rows, no limits, two classes.
class BinaryStumps final : public StumpSolver {
 public:
  explicit BinaryStumps(const ExactData& data) : data_(data) {
    for (std::size_t code = 0; code < table_.size(); ++code)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        table_[code].v[lane] = !in_lane(code / 2, lane) ? u8{0}
                               : code % 2 == 1          ? u8{1}
                                                        : u8{255};
  }

  void solve(const RankedRows& rows, u32 ordering, std::span<const u32> cuts,
             std::array<SubsetLoss, kLanes>& out) override {
    i64 sum[kLanes] = {}, count[kLanes] = {};
    tally(rows, ordering, cuts, sum, count);
    i32 high[kLanes] = {}, low[kLanes] = {};
    for (std::size_t f = 0; f < rows.order.size(); ++f)
      kernels().stump.walk(rows.order[f].data(), rows.n, code_.data(), table_[0].v,
                           ties(rows.n, rows.n_groups[f]), high, low);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const i64 n = count[lane], d = sum[lane];
      const i64 best =
          std::max(std::abs(2 * high[lane] - d), std::abs(2 * low[lane] - d));
      SubsetLoss& loss = out[lane];
      loss.n = static_cast<u32>(n);
      loss.weight = static_cast<double>(n);
      loss.leaf = static_cast<double>(n - std::abs(d)) / 2;
      loss.stump = loss.relaxed =
          static_cast<double>(n - std::max(best, std::abs(d))) / 2;
    }
  }
  bool is_cheap() const override { return true; }

 private:
  static constexpr std::size_t kCodes = 2 * (kCuts + 1);

  struct alignas(32) TableRow {
    u8 v[kLanes];
  };

  void tally(const RankedRows& rows, u32 ordering, std::span<const u32> cuts, i64* sum,
             i64* count) {
    code_.resize(data_.label.size());
    const u32* order = rows.order[ordering].data();
    for_each_step(cuts, rows.n, [&](std::size_t step, u32 first, u32 last) {
      i64 ones = 0;
      for (u32 i = first; i < last; ++i) {
        const u32 row = order[i] & kRowMask;
        ones += data_.label[row];
        code_[row] = static_cast<u8>(2 * step + data_.label[row]);
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (!in_lane(step, lane)) continue;
        sum[lane] += 2 * ones - (last - first);
        count[lane] += last - first;
      }
    });
  }

  // A branch per group pays only when groups are long.
  static Ties ties(u32 n, u32 n_groups) {
    if (n_groups == n) return Ties::none;
    return n / 6 < n_groups ? Ties::some : Ties::many;
  }

  const ExactData& data_;
  std::array<TableRow, kCodes> table_;
  std::vector<u8> code_;
};

// Unweighted rows, no limits, several classes; at most kLaneMax rows.
class ClassStumps final : public StumpSolver {
 public:
  explicit ClassStumps(const ExactData& data)
      : data_(data),
        total_(data.n_classes),
        rest_(data.n_classes),
        bytes_(2 * data.n_classes) {
    for (std::size_t step = 0; step <= kCuts; ++step)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        masks_[step].v[lane] = in_lane(step, lane) ? 1 : 0;
  }

  void solve(const RankedRows& rows, u32 ordering, std::span<const u32> cuts,
             std::array<SubsetLoss, kLanes>& out) override {
    LaneRow best{};
    describe(rows, ordering, cuts, best, out);
    const ClassLanes lanes{step_.data(), masks_[0].v, data_.n_classes, total_[0].v,
                           rest_[0].v,   best.v,      bytes_[0].v};
    for (std::size_t f = 0; f < rows.order.size(); ++f) {
      std::copy(total_.begin(), total_.end(), rest_.begin());
      const auto& order = rows.order[f];
      const auto& runs = rows.runs[f];
      if (runs.size() < rows.n / kRowsPerRun)
        kernels().stump.majority_of_runs(order.data(), runs.data(), runs.size(), lanes);
      else
        kernels().stump.majority_of_rows(order.data(), rows.n, data_.label.data(),
                                         lanes);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      out[lane].stump = out[lane].relaxed = out[lane].weight - best.v[lane];
  }

 private:
  static constexpr u32 kRowsPerRun = 4;  // from that on a branch per run pays

  struct alignas(32) LaneRow {
    std::int16_t v[kLanes];
  };
  struct alignas(32) ByteRow {
    u8 v[kLanes];
  };

  // Steps of all rows; sizes, leaf losses and majorities of all subsets.
  void describe(const RankedRows& rows, u32 ordering, std::span<const u32> cuts,
                LaneRow& best, std::array<SubsetLoss, kLanes>& out) {
    step_.resize(data_.label.size());
    by_step_.assign(data_.n_classes, {});
    const u32* order = rows.order[ordering].data();
    for_each_step(cuts, rows.n, [&](std::size_t step, u32 first, u32 last) {
      for (u32 i = first; i < last; ++i) {
        const u32 row = order[i] & kRowMask;
        step_[row] = static_cast<u8>(step);
        ++by_step_[data_.label[row]][step];
      }
    });
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      int n = 0;
      for (std::size_t k = 0; k < data_.n_classes; ++k) {
        int rows_of_class = 0;
        for (std::size_t s = 0; s <= kCuts; ++s)
          if (in_lane(s, lane)) rows_of_class += by_step_[k][s];
        total_[k].v[lane] = static_cast<std::int16_t>(rows_of_class);
        best.v[lane] = std::max(best.v[lane], total_[k].v[lane]);
        n += rows_of_class;
      }
      out[lane].n = static_cast<u32>(n);
      out[lane].weight = n;
      out[lane].leaf = n - best.v[lane];
    }
  }

  const ExactData& data_;
  std::array<ByteRow, kCuts + 1> masks_;
  std::vector<LaneRow> total_, rest_;
  std::vector<ByteRow> bytes_;
  std::vector<std::array<int, kCuts + 1>> by_step_;
  std::vector<u8> step_;
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
