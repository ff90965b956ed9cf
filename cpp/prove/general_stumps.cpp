// Stumps with limits, weights, any number of classes, or squared errors: doubles, one
// accumulator per lane, two passes per ordering.
#include <algorithm>

#include "prove/stumps.hpp"

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class GeneralStumps final : public StumpSolver {
 public:
  GeneralStumps(const ExactData& data, const StumpLimits& limits)
      : data_(data),
        limits_(limits),
        width_(std::max(data.n_classes, 3u)),
        code_(std::max(data.label.size(), data.y.size())) {}

  void solve(const RankedRows& rows, const CutBatch& batch,
             std::array<SubsetLoss, kLanes>& out) override {
    write_codes(batch, rows, code_);
    std::array<bool, kCuts> wanted = {};
    for (std::size_t part = 0; part < batch.parts.size(); ++part)
      for (std::size_t cut = 0; cut < batch.parts[part].cuts.size(); ++cut)
        wanted[batch.lane(part, cut)] = true;
    for (std::size_t lane = 0; lane < kCuts; ++lane) {
      if (wanted[lane]) out[kCuts + lane] = solve_lane(rows, kCuts + lane);
      if (wanted[lane] || lane == kWholeLane) out[lane] = solve_lane(rows, lane);
    }
  }

 private:
  struct Side {
    std::vector<double> stats;
    u32 n = 0;
    double weight = 0;
    double largest = 0;
  };

  void clear(Side& s) const {
    s.stats.assign(width_, 0.0);
    s.n = 0;
    s.weight = s.largest = 0;
  }

  void add(Side& s, u32 i) const {
    const double w = data_.weight_of(i);
    ++s.n;
    s.weight += w;
    if (!data_.costs.empty()) {  // of each answer
      const double* costs = data_.costs.data() + data_.label[i] * data_.n_classes;
      for (std::size_t j = 0; j < data_.n_classes; ++j) s.stats[j] += w * costs[j];
    } else if (data_.n_classes > 0) {
      s.stats[data_.label[i]] += w;
      s.largest = std::max(s.largest, s.stats[data_.label[i]]);
    } else {
      s.stats[1] += w * data_.y[i];
      s.stats[2] += w * data_.y[i] * data_.y[i];
    }
  }

  double loss(const Side& s) const {
    if (s.n == 0) return 0;
    if (!data_.costs.empty())
      return *std::min_element(s.stats.begin(), s.stats.begin() + data_.n_classes);
    if (data_.n_classes > 0) return s.weight - s.largest;
    return std::max(0.0, s.stats[2] - s.stats[1] * s.stats[1] / s.weight);
  }

  bool enough(u32 n, double weight) const {
    return n >= limits_.min_samples_leaf && weight >= limits_.min_weight_leaf;
  }

  SubsetLoss solve_lane(const RankedRows& rows, std::size_t lane) {
    SubsetLoss out;
    for (const auto& order : rows.order) {
      members_.clear();
      for (const u32 entry : order) {
        if (!codes_.in_lane(code_[entry & kRowMask], lane)) {
          // A group that ends here ends with its last member.
          if ((entry & kGroupEnd) != 0 && !members_.empty())
            members_.back() |= kGroupEnd;
          continue;
        }
        members_.push_back(entry);
      }
      scan(out);
    }
    return out;
  }

  void scan(SubsetLoss& out) {
    const std::size_t n = members_.size();
    if (n == 0) {
      out.leaf = 0;
      return;
    }
    after_.resize(n + 1);
    clear(side_);
    for (std::size_t i = n; i-- > 0;) {
      add(side_, members_[i] & kRowMask);
      after_[i] = {loss(side_), side_.weight};
    }
    out.n = side_.n;
    out.weight = side_.weight;
    out.leaf = after_[0].loss;
    const bool splittable = out.n >= limits_.min_samples_split;
    clear(side_);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      add(side_, members_[i] & kRowMask);
      if ((members_[i] & kGroupEnd) == 0) continue;
      const double both = loss(side_) + after_[i + 1].loss;
      out.relaxed = std::min(out.relaxed, both);
      const auto right_n = static_cast<u32>(n - i - 1);
      if (both < out.stump && splittable && enough(side_.n, side_.weight) &&
          enough(right_n, after_[i + 1].weight))
        out.stump = both;
    }
  }

  struct After {
    double loss;
    double weight;
  };

  const ExactData& data_;
  StumpLimits limits_;
  std::size_t width_;
  Side side_;
  BatchCodes codes_;
  std::vector<u16> code_;
  std::vector<u32> members_;
  std::vector<After> after_;
};

}  // namespace

std::unique_ptr<StumpSolver> make_general_stumps(const ExactData& data,
                                                 const StumpLimits& limits) {
  return std::make_unique<GeneralStumps>(data, limits);
}

}  // namespace dpdtree
