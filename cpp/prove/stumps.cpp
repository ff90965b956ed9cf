#include "prove/stumps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

// Unweighted rows, no limits, two classes.
class BinaryStumps final : public StumpSolver {
 public:
  explicit BinaryStumps(const ExactData& data)
      : data_(data), code_(data.label.size()), table_(2 * BatchCodes::kCodes) {
    for (std::size_t code = 0; code < table_.size(); ++code)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        table_[code].v[lane] = !codes_.in_lane(code / 2, lane) ? u8{0}
                               : code % 2 == 1                 ? u8{1}
                                                               : u8{255};
  }

  void solve(const RankedRows& rows, const CutBatch& batch,
             std::array<SubsetLoss, kLanes>& out) override {
    i64 sum[kLanes] = {}, count[kLanes] = {};
    tally(rows, batch, sum, count);
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
  struct alignas(32) TableRow {
    u8 v[kLanes];
  };

  // The codes of the rows with their labels; sizes of the subsets, and by how much one
  // class exceeds the other.
  void tally(const RankedRows& rows, const CutBatch& batch, i64* sum, i64* count) {
    i64 before = 0, all = 0;
    std::fill(count, count + kCuts, rows.n);
    std::array<bool, kCuts> cut = {};
    BatchCodes::for_each_step(
        batch, rows.n,
        [&](std::size_t part, std::size_t step, u16 code, u32 begin, u32 end) {
          const CutBatch::Part& p = batch.parts[part];
          const u32* order = rows.order[p.ordering].data();
          if (step == 0) before = 0;
          before += part == 0 ? set_codes(order + begin, end - begin, code)
                              : add_codes(order + begin, end - begin, code);
          if (step == p.cuts.size()) {
            all = before;
            return;
          }
          const std::size_t lane = batch.lane(part, step);
          cut[lane] = true;
          sum[lane] = before;
          count[lane] = p.cuts[step];
        });
    for (std::size_t lane = 0; lane < kCuts; ++lane) {
      if (!cut[lane]) sum[lane] = all;
      sum[kCuts + lane] = all - sum[lane];
      count[kCuts + lane] = rows.n - count[lane];
    }
  }

  // Both return by how many rows one class exceeds the other.
  i64 set_codes(const u32* order, u32 n, u16 code) {
    i64 ones = 0;
    for (u32 i = 0; i < n; ++i) {
      const u32 row = order[i] & kRowMask;
      ones += data_.label[row];
      code_[row] = static_cast<u16>(2 * code + data_.label[row]);
    }
    return 2 * ones - n;
  }
  i64 add_codes(const u32* order, u32 n, u16 code) {
    i64 ones = 0;
    for (u32 i = 0; i < n; ++i) {
      u16& of_row = code_[order[i] & kRowMask];
      ones += of_row & 1;
      of_row = static_cast<u16>(of_row + 2 * code);
    }
    return 2 * ones - n;
  }

  // A branch per group pays only when groups are long.
  static Ties ties(u32 n, u32 n_groups) {
    if (n_groups == n) return Ties::none;
    return n / 6 < n_groups ? Ties::some : Ties::many;
  }

  const ExactData& data_;
  BatchCodes codes_;
  std::vector<u16> code_;
  std::vector<TableRow> table_;
};

// Unweighted rows, no limits, several classes; at most kLaneMax rows.
class ClassStumps final : public StumpSolver {
 public:
  explicit ClassStumps(const ExactData& data)
      : data_(data),
        masks_(BatchCodes::kCodes),
        total_(data.n_classes),
        rest_(data.n_classes),
        bytes_(2 * data.n_classes),
        code_(data.label.size()) {
    for (std::size_t code = 0; code < masks_.size(); ++code)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        masks_[code].v[lane] = codes_.in_lane(code, lane) ? 1 : 0;
  }

  void solve(const RankedRows& rows, const CutBatch& batch,
             std::array<SubsetLoss, kLanes>& out) override {
    LaneRow best{};
    describe(rows, batch, best, out);
    const ClassLanes lanes{code_.data(), masks_[0].v, data_.n_classes, total_[0].v,
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

  // Codes of the rows; sizes, leaf losses and majorities of all subsets.
  void describe(const RankedRows& rows, const CutBatch& batch, LaneRow& best,
                std::array<SubsetLoss, kLanes>& out) {
    std::array<bool, kCuts> cut = {};
    BatchCodes::for_each_step(
        batch, rows.n,
        [&](std::size_t part, std::size_t step, u16 code, u32 begin, u32 end) {
          const CutBatch::Part& p = batch.parts[part];
          const u32* order = rows.order[p.ordering].data();
          if (step == 0) count_.assign(data_.n_classes, 0);
          for (u32 i = begin; i < end; ++i) {
            const u32 row = order[i] & kRowMask;
            code_[row] = static_cast<u16>(part == 0 ? code : code_[row] + code);
            ++count_[data_.label[row]];
          }
          if (step == p.cuts.size()) return;
          cut[batch.lane(part, step)] = true;
          set_left(batch.lane(part, step));
        });
    // The last step has counted all rows.
    for (std::size_t lane = 0; lane < kCuts; ++lane) {
      if (!cut[lane]) set_left(lane);
      for (std::size_t k = 0; k < count_.size(); ++k)
        total_[k].v[kCuts + lane] =
            static_cast<std::int16_t>(count_[k] - total_[k].v[lane]);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      int n = 0;
      for (const LaneRow& of_class : total_) {
        best.v[lane] = std::max(best.v[lane], of_class.v[lane]);
        n += of_class.v[lane];
      }
      out[lane].n = static_cast<u32>(n);
      out[lane].weight = n;
      out[lane].leaf = n - best.v[lane];
    }
  }

  void set_left(std::size_t lane) {
    for (std::size_t k = 0; k < count_.size(); ++k) total_[k].v[lane] = count_[k];
  }

  const ExactData& data_;
  BatchCodes codes_;
  std::vector<ByteRow> masks_;
  std::vector<LaneRow> total_, rest_;
  std::vector<ByteRow> bytes_;
  std::vector<std::int16_t> count_;  // per class
  std::vector<u16> code_;
};

}  // namespace

constexpr std::size_t kLaneMax = 32000;

std::unique_ptr<StumpSolver> make_stump_solver(const ExactData& data,
                                               const StumpLimits& limits) {
  const bool plain = data.n_classes > 0 && data.weight.empty() && data.costs.empty() &&
                     limits.min_samples_leaf <= 1 && limits.min_weight_leaf <= 1 &&
                     limits.min_samples_split <= 2;
  if (plain && data.n_classes == 2) return std::make_unique<BinaryStumps>(data);
  if (plain && data.label.size() <= kLaneMax)
    return std::make_unique<ClassStumps>(data);
  if (data.n_classes >= 2 && data.exact_weights && data.costs.empty() &&
      limits.min_samples_leaf <= 1 && limits.min_weight_leaf <= data.whole_unit &&
      limits.min_samples_split <= 2)
    return data.n_classes == 2 ? make_weighted_stumps(data)
                               : make_weighted_class_stumps(data);
  return make_general_stumps(data, limits);
}

}  // namespace dpdtree
