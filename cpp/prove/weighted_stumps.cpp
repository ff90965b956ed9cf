// Stumps of two classes with weights of which no sum takes rounding; no limits. All
// lanes in one pass per ordering: the weight of one class less that of the other, left
// of a boundary, less half of what the subset has in all, is farthest from zero where
// the best stump is. Right subsets are what the left ones leave of all rows.
#include <algorithm>
#include <cmath>

#include "prove/stumps.hpp"

namespace dpdtree {
namespace {

template <class Number>
class WeightedStumps final : public StumpSolver {
 public:
  explicit WeightedStumps(const ExactData& data)
      : data_(data),
        code_(data.label.size()),
        excess_(data.label.size()),
        left_of_(BatchCodes::kCodes) {
    for (std::size_t i = 0; i < excess_.size(); ++i)
      excess_[i] = static_cast<Number>(data.label[i] == 1 ? data.weight_of(i)
                                                          : -data.weight_of(i));
    for (std::size_t code = 0; code < left_of_.size(); ++code)
      for (std::size_t cut = 0; cut < kCuts; ++cut)
        left_of_[code][cut] = codes_.in_lane(code, cut) ? Number{1} : Number{0};
  }

  void solve(const RankedRows& rows, const CutBatch& batch,
             std::array<SubsetLoss, kLanes>& out) override {
    write_codes(batch, rows, code_);
    add_up(rows, out);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      farthest_[lane] = std::abs(half_[lane]);
    for (const auto& order : rows.order) walk(order);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      SubsetLoss& loss = out[lane];
      loss.leaf = loss.weight / 2 - std::abs(double{half_[lane]});
      loss.stump = loss.relaxed = loss.weight / 2 - double{farthest_[lane]};
    }
  }

 private:
  using OfCuts = std::array<Number, kCuts>;

  // Rows, weight, and half of the excess, of all subsets: code by code, as there are
  // few codes.
  void add_up(const RankedRows& rows, std::array<SubsetLoss, kLanes>& out) {
    struct Sums {
      u32 n = 0;
      double weight = 0, excess = 0;
    };
    std::array<Sums, BatchCodes::kCodes> of_code{};
    for (const u32 entry : rows.order[0]) {
      const u32 row = entry & kRowMask;
      Sums& sums = of_code[code_[row]];
      ++sums.n;
      sums.weight += data_.weight_of(row);
      sums.excess += excess_[row];
    }
    std::array<double, kLanes> excess{};
    out.fill({});
    for (std::size_t code = 0; code < of_code.size(); ++code) {
      const Sums& sums = of_code[code];
      if (sums.n == 0) continue;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (!codes_.in_lane(code, lane)) continue;
        out[lane].n += sums.n;
        out[lane].weight += sums.weight;
        excess[lane] += sums.excess;
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      half_[lane] = static_cast<Number>(excess[lane] / 2);
  }

  void walk(const std::vector<u32>& order) {
    OfCuts left, most_left, most_right;  // NOLINT: filled by the next loop
    for (std::size_t i = 0; i < kCuts; ++i) {
      left[i] = -half_[i];
      most_left[i] = farthest_[i];
      most_right[i] = farthest_[kCuts + i];
    }
    Number all = -half_[0] - half_[kCuts];
    for (const u32 entry : order) {
      const u32 row = entry & kRowMask;
      const Number excess = excess_[row];
      const OfCuts& is_left = left_of_[code_[row]];
      all += excess;
      for (std::size_t i = 0; i < kCuts; ++i) left[i] += is_left[i] * excess;
      if ((entry & kGroupEnd) == 0) continue;
      for (std::size_t i = 0; i < kCuts; ++i) {
        const Number l = std::abs(left[i]), r = std::abs(all - left[i]);
        most_left[i] = l > most_left[i] ? l : most_left[i];
        most_right[i] = r > most_right[i] ? r : most_right[i];
      }
    }
    for (std::size_t i = 0; i < kCuts; ++i) {
      farthest_[i] = most_left[i];
      farthest_[kCuts + i] = most_right[i];
    }
  }

  const ExactData& data_;
  BatchCodes codes_;
  std::vector<u16> code_;
  std::vector<Number> excess_;   // of each row: its weight, less than 0 for class 0
  std::vector<OfCuts> left_of_;  // 1 where a code is on the left, else 0
  std::array<Number, kLanes> half_{}, farthest_{};
};

}  // namespace

// Half the weight of all rows is a whole number of halves: single precision has room
// for so many.
std::unique_ptr<StumpSolver> make_weighted_stumps(const ExactData& data) {
  constexpr double kMostInSingle = 1 << 23;
  double weight = 0;
  for (const double w : data.weight) weight += w;
  if (data.whole_unit == 1 && weight <= kMostInSingle)
    return std::make_unique<WeightedStumps<float>>(data);
  return std::make_unique<WeightedStumps<double>>(data);
}

}  // namespace dpdtree
