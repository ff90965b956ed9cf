// Stumps of three and more classes with weights of which no sum takes rounding; no
// limits. All lanes in one pass per ordering, run by run: what a cut gets right is the
// heaviest class before it and the heaviest behind it.
#include <algorithm>

#include "prove/stumps.hpp"
#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

void walk(const std::vector<u32>& order, const std::vector<Run>& runs,
          const WeightLanes<float>& lanes) {
  kernels().stump.single_weights(order.data(), runs.data(), runs.size(), lanes);
}

void walk(const std::vector<u32>& order, const std::vector<Run>& runs,
          const WeightLanes<double>& lanes) {
  kernels().stump.double_weights(order.data(), runs.data(), runs.size(), lanes);
}

template <class Number>
class WeightedClassStumps final : public StumpSolver {
 public:
  explicit WeightedClassStumps(const ExactData& data)
      : data_(data),
        code_(data.label.size()),
        row_(data.label.size()),
        mask_(BatchCodes::kCodes),
        total_(data.n_classes),
        rest_(data.n_classes),
        of_code_(BatchCodes::kCodes * data.n_classes) {
    for (std::size_t i = 0; i < row_.size(); ++i)
      row_[i] = {static_cast<Number>(data.weight_of(static_cast<u32>(i))), 0,
                 data.label[i]};
    for (std::size_t code = 0; code < mask_.size(); ++code)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        mask_[code][lane] = codes_.in_lane(code, lane) ? Number{1} : Number{0};
  }

  void solve(const RankedRows& rows, const CutBatch& batch,
             std::array<SubsetLoss, kLanes>& out) override {
    write_codes(batch, rows, code_);
    OfLanes best = add_up(rows, out);
    const WeightLanes<Number> lanes{row_.data(),      mask_[0].data(), total_.size(),
                                    total_[0].data(), rest_[0].data(), best.data()};
    for (std::size_t f = 0; f < rows.order.size(); ++f) {
      rest_ = total_;
      walk(rows.order[f], rows.runs[f], lanes);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      out[lane].stump = out[lane].relaxed = out[lane].weight - double{best[lane]};
  }

 private:
  using OfLanes = std::array<Number, kLanes>;

  // Rows, weight and leaf of all subsets, code by code; returns their heaviest classes.
  OfLanes add_up(const RankedRows& rows, std::array<SubsetLoss, kLanes>& out) {
    const std::size_t n_classes = total_.size();
    std::array<u32, BatchCodes::kCodes> n_of_code{};
    std::fill(of_code_.begin(), of_code_.end(), Number{0});
    for (const u32 entry : rows.order[0]) {
      const u32 i = entry & kRowMask;
      WeightedRow<Number>& row = row_[i];
      row.code = code_[i];
      ++n_of_code[row.code];
      of_code_[row.code * n_classes + row.label] += row.weight;
    }
    out.fill({});
    std::fill(total_.begin(), total_.end(), OfLanes{});
    for (std::size_t code = 0; code < n_of_code.size(); ++code) {
      if (n_of_code[code] == 0) continue;
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        if (codes_.in_lane(code, lane)) out[lane].n += n_of_code[code];
      for (std::size_t k = 0; k < n_classes; ++k)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          total_[k][lane] += mask_[code][lane] * of_code_[code * n_classes + k];
    }
    return leaves(out);
  }

  OfLanes leaves(std::array<SubsetLoss, kLanes>& out) const {
    OfLanes heaviest{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (const OfLanes& of_class : total_) {
        heaviest[lane] = std::max(heaviest[lane], of_class[lane]);
        out[lane].weight += double{of_class[lane]};
      }
      out[lane].leaf = out[lane].weight - double{heaviest[lane]};
    }
    return heaviest;
  }

  const ExactData& data_;
  BatchCodes codes_;
  std::vector<u16> code_;
  std::vector<WeightedRow<Number>> row_;
  std::vector<OfLanes> mask_;  // per code: 1 where a row of it is in the lane's subset
  std::vector<OfLanes> total_, rest_;  // per class
  std::vector<Number> of_code_;        // weights by code and class
};

}  // namespace

// Single precision has room for so many whole numbers.
std::unique_ptr<StumpSolver> make_weighted_class_stumps(const ExactData& data) {
  constexpr double kMostInSingle = 1 << 24;
  double weight = data.weight.empty() ? static_cast<double>(data.label.size()) : 0;
  for (const double w : data.weight) weight += w;
  if ((data.weight.empty() || data.whole_unit == 1) && weight <= kMostInSingle)
    return std::make_unique<WeightedClassStumps<float>>(data);
  return std::make_unique<WeightedClassStumps<double>>(data);
}

}  // namespace dpdtree
