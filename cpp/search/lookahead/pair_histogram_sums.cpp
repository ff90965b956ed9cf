#include "search/lookahead/pair_histogram_sums.hpp"

#include <algorithm>
#include <limits>

#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kB = kMaxLocalBins;
constexpr float kNone = -std::numeric_limits<float>::infinity();

class PairSums {
 public:
  explicit PairSums(const PairHistogramProblem& p)
      : p_(p),
        kernels_(kernels().pair_sum),
        term_(2 * p.n_rows()),
        cell_(p.n_rows()),
        left_(kB * p.bins.size(), kNone),
        right_(kB * p.bins.size(), kNone) {
    const Targets& t = p.targets;
    for (std::size_t i = 0; i < p.n_rows(); ++i) {
      const float w = t.weighted() ? static_cast<float>(t.weight[i]) : 1.0f;
      term_[2 * i] = w;
      term_[2 * i + 1] = w * static_cast<float>(t.y[i]);
    }
    std::size_t most = 0;
    for (const LocalBins& bins : p.bins)
      most = std::max<std::size_t>(most, bins.size());
    pitch_ = (most + kFloatLane - 1) / kFloatLane * kFloatLane;
    const std::size_t n_cells = most * pitch_;
    cells_.resize(2 * n_cells);
    for (auto* table : {&weight_, &sum_}) table->resize(n_cells);
    if (own_counts()) count_.resize(n_cells);
  }

  void run(EdgeGains& out) {
    const std::vector<LocalBins>& bins = p_.bins;
    for (std::size_t f = 0; f < bins.size(); ++f) {
      for (std::size_t i = 0; i < cell_.size(); ++i)
        cell_[i] = static_cast<u32>(bins[f].bin[i] * pitch_);
      for (std::size_t g = f; g < bins.size(); ++g)
        if (bins[f].size() > 1) score(f, g);
    }
    for (std::size_t f = 0; f < bins.size(); ++f)
      for (std::size_t e = out.first[f]; e < out.first[f + 1]; ++e) {
        out.left[e] = left_[kB * f + e - out.first[f]];
        out.right[e] = right_[kB * f + e - out.first[f]];
      }
  }

 private:
  bool counted() const { return p_.min_samples_leaf > 1; }
  bool own_counts() const { return counted() && p_.targets.weighted(); }

  // The rows of a cell are added in their order, whatever adds them.
  template <class Cell>
  void fill(std::size_t g, std::size_t n_cells, Cell add) {
    std::fill_n(cells_.begin(), 2 * n_cells, 0.0f);
    const u8* bin = p_.bins[g].bin.data();
    for (std::size_t i = 0; i < cell_.size(); ++i)
      add(cells_.data() + 2 * (std::size_t{cell_[i]} + bin[i]), i);
  }

  void score(std::size_t f, std::size_t g) {
    const SumShape shape{p_.bins[f].size(), p_.bins[g].size(), pitch_};
    const std::size_t n_cells = shape.n_a * pitch_;
    if (own_counts()) {
      fill(g, n_cells, [](float* cell, std::size_t) { cell[0] += 1; });
      kernels_.accumulate(cells_.data(), shape, count_.data(), sum_.data());
    }
    const float* term = term_.data();
    fill(g, n_cells, [term](float* cell, std::size_t i) {
      cell[0] += term[2 * i];
      cell[1] += term[2 * i + 1];
    });
    kernels_.accumulate(cells_.data(), shape, weight_.data(), sum_.data());
    const std::vector<float>& counts = own_counts() ? count_ : weight_;
    kernels_.raise_edges(
        {weight_.data(), sum_.data(), counted() ? counts.data() : nullptr,
         static_cast<float>(p_.min_samples_leaf)},
        shape,
        {left_.data() + kB * f, right_.data() + kB * f, left_.data() + kB * g,
         right_.data() + kB * g});
  }

  const PairHistogramProblem& p_;
  PairSumKernels kernels_;
  std::size_t pitch_ = 0;
  std::vector<float> term_;  // weight and weighted number of each row
  std::vector<u32> cell_;    // the first of each row's line, for the first feature
  std::vector<float> cells_, weight_, sum_, count_;
  std::vector<float> left_, right_;  // of every edge, kB per feature
};

}  // namespace

void raise_by_sums(const PairHistogramProblem& p, EdgeGains& out) {
  PairSums(p).run(out);
}

}  // namespace dpdtree
