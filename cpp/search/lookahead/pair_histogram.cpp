#include "search/lookahead/pair_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "loss/entropy.hpp"
#include "search/lookahead/pair_histogram_counts.hpp"
#include "search/lookahead/pair_histogram_sums.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kB = kMaxLocalBins;
constexpr float kNone = -std::numeric_limits<float>::infinity();

using Sixty4 = float[kB];

// Sums over the cells of a pair, one plane per class; and, if leaves have a minimum
// size, the number of rows.
class Planes {
 public:
  explicit Planes(const PairHistogramProblem& p)
      : n_stats_(p.targets.n_classes), counted_(p.min_samples_leaf > 1) {
    data_.resize((n_stats_ + (counted_ ? 1 : 0)) * kB * kB);
  }
  std::size_t n_stats() const { return n_stats_; }
  bool counted() const { return counted_; }
  std::size_t size() const { return data_.size() / (kB * kB); }
  float* row(std::size_t plane, std::size_t a) {
    return data_.data() + (plane * kB + a) * kB;
  }
  float* counts(std::size_t a) { return row(n_stats_, a); }
  void clear() { std::fill(data_.begin(), data_.end(), 0.0f); }

  // CodeHistogram → sums over all cells with smaller or equal bins.
  void accumulate(std::size_t n_a, std::size_t n_b) {
    for (std::size_t p = 0; p < size(); ++p) {
      for (std::size_t a = 0; a < n_a; ++a) {
        float* here = row(p, a);
        for (std::size_t b = 1; b < n_b; ++b) here[b] += here[b - 1];
        if (a == 0) continue;
        const float* above = row(p, a - 1);
        for (std::size_t b = 0; b < n_b; ++b) here[b] += above[b];
      }
    }
  }

 private:
  std::size_t n_stats_;
  bool counted_;
  std::vector<float> data_;
};

void fill(Planes& planes, const PairHistogramProblem& p, const LocalBins& f,
          const LocalBins& g) {
  planes.clear();
  const Targets& t = p.targets;
  for (std::size_t i = 0; i < p.n_rows(); ++i) {
    const std::size_t cell = f.bin[i] * kB + g.bin[i];
    const float w = t.weighted() ? static_cast<float>(t.weight[i]) : 1.0f;
    float* first = planes.row(0, 0) + cell;
    first[t.label[i] * kB * kB] += w;
    if (planes.counted()) first[planes.n_stats() * kB * kB] += 1.0f;
  }
}

// Gains of leaves, for a run of cells. q[plane][b] holds the statistics.
void leaf_gains(Criterion loss, std::size_t n_stats, const Sixty4* q, std::size_t n,
                float* gain) {
  if (loss == Criterion::zero_one) {
    std::copy(q[0], q[0] + n, gain);
    for (std::size_t k = 1; k < n_stats; ++k)
      for (std::size_t b = 0; b < n; ++b) gain[b] = std::max(gain[b], q[k][b]);
    return;
  }
  for (std::size_t b = 0; b < n; ++b) {
    float w = 0, sum = 0;
    for (std::size_t k = 0; k < n_stats; ++k) {
      w += q[k][b];
      sum += loss == Criterion::gini
                 ? q[k][b] * q[k][b]
                 : static_cast<float>(xlogx(static_cast<double>(q[k][b])));
    }
    if (loss == Criterion::gini)
      gain[b] = w > 0 ? sum / w : 0.0f;
    else
      gain[b] = sum - static_cast<float>(xlogx(static_cast<double>(w)));
  }
}

float at_least(float x, float limit) { return x >= limit ? 0.0f : kNone; }

// The four quadrants of a cell row: gain as a leaf, kNone where too few rows.
struct Quadrants {
  Sixty4 gain[4];
};

class PairScorer {
 public:
  explicit PairScorer(const PairHistogramProblem& p)
      : p_(p), planes_(p), q_(planes_.n_stats() * kB) {}

  void score(std::size_t f, std::size_t g, EdgeGains& out) {
    const LocalBins &bf = p_.bins[f], &bg = p_.bins[g];
    fill(planes_, p_, bf, bg);
    planes_.accumulate(bf.size(), bg.size());
    const std::size_t n_a = bf.size() - 1, n_b = bg.size() - 1;  // edges
    if (n_a == 0 && n_b == 0) return;
    for (std::size_t a = 0; a < n_a; ++a) {
      quadrants(a, bf.size() - 1, bg.size() - 1, n_b);
      combine(n_b, out, out.first[f] + a, out.first[g]);
    }
  }

 private:
  // Statistics of quadrant i of edge a against every edge b: 0 low-low, 1 low-high,
  // 2 high-low, 3 high-high.
  float stat(const float* here, const float* bottom, std::size_t last_b, std::size_t b,
             int i) const {
    const float ll = here[b];
    switch (i) {
      case 0:
        return ll;
      case 1:
        return here[last_b] - ll;
      case 2:
        return bottom[b] - ll;
      default:
        return bottom[last_b] - here[last_b] - bottom[b] + ll;
    }
  }

  void quadrants(std::size_t a, std::size_t last_a, std::size_t last_b,
                 std::size_t n_b) {
    for (int i = 0; i < 4; ++i) {
      auto* q = reinterpret_cast<Sixty4*>(q_.data());
      for (std::size_t k = 0; k < planes_.n_stats(); ++k) {
        const float *here = planes_.row(k, a), *bottom = planes_.row(k, last_a);
        for (std::size_t b = 0; b < n_b; ++b)
          q[k][b] = stat(here, bottom, last_b, b, i);
      }
      leaf_gains(p_.loss, planes_.n_stats(), q, n_b, quad_.gain[i]);
      if (!planes_.counted()) continue;
      const auto least = static_cast<float>(p_.min_samples_leaf);
      const float *here = planes_.counts(a), *bottom = planes_.counts(last_a);
      for (std::size_t b = 0; b < n_b; ++b)
        quad_.gain[i][b] += at_least(stat(here, bottom, last_b, b, i), least);
    }
  }

  // `f`: index of this edge of the first feature, `g`: of the second one's first edge.
  void combine(std::size_t n_b, EdgeGains& out, std::size_t f, std::size_t g) const {
    const Sixty4* x = quad_.gain;
    float left = kNone, right = kNone;
    for (std::size_t b = 0; b < n_b; ++b) {
      left = std::max(left, x[0][b] + x[1][b]);
      right = std::max(right, x[2][b] + x[3][b]);
    }
    out.left[f] = std::max(out.left[f], left);
    out.right[f] = std::max(out.right[f], right);
    float *g_left = out.left.data() + g, *g_right = out.right.data() + g;
    for (std::size_t b = 0; b < n_b; ++b) {
      g_left[b] = std::max(g_left[b], x[0][b] + x[2][b]);
      g_right[b] = std::max(g_right[b], x[1][b] + x[3][b]);
    }
  }

  const PairHistogramProblem& p_;
  Planes planes_;
  std::vector<float> q_;
  Quadrants quad_;
};

// The statistics of every bin of one feature.
std::vector<double> bin_stats(const PairHistogramProblem& p, const LocalBins& bins) {
  const Targets& t = p.targets;
  const std::size_t width = t.stats_width();
  std::vector<double> stats(bins.size() * width, 0.0);
  for (std::size_t i = 0; i < bins.bin.size(); ++i) {
    double* s = stats.data() + bins.bin[i] * width;
    const double w = t.weighted() ? t.weight[i] : 1.0;
    if (t.classification()) {
      s[t.label[i]] += w;
      continue;
    }
    s[0] += w;
    s[1] += w * t.y[i];
    s[2] += w * t.y[i] * t.y[i];
  }
  return stats;
}

// Weight and leaf gains of both sides of every edge of one feature.
void fill_sides(const PairHistogramProblem& p, std::size_t f, EdgeGains& out) {
  const Targets& t = p.targets;
  const LocalBins& bins = p.bins[f];
  const std::size_t width = t.stats_width();
  const std::vector<double> per_bin = bin_stats(p, bins);
  std::vector<double> left(width, 0.0), right(width, 0.0);
  for (std::size_t b = 0; b < bins.size(); ++b)
    for (std::size_t k = 0; k < width; ++k) right[k] += per_bin[b * width + k];
  const auto gain = [&](const std::vector<double>& s) {
    // Σ w·y² is the same for every tree, so that squared errors are gains as well.
    const double whole = t.classification() ? t.total_weight(s) : s[2];
    const double m = impurity_sum(p.loss, s);
    if (p.loss == Criterion::log_loss) return static_cast<float>(-m);
    return static_cast<float>(whole - m);
  };
  for (std::size_t b = 0; b + 1 < bins.size(); ++b) {
    for (std::size_t k = 0; k < width; ++k) {
      left[k] += per_bin[b * width + k];
      right[k] -= per_bin[b * width + k];
    }
    const std::size_t edge = out.first[f] + b;
    out.left_leaf[edge] = gain(left);
    out.right_leaf[edge] = gain(right);
    out.left_weight[edge] = static_cast<float>(t.total_weight(left));
  }
}

// Each side on its own.
class DividedSums final : public DividedGains {
 public:
  explicit DividedSums(const PairHistogramProblem& p) : p_(p) {}

  std::array<EdgeGains, 2> gains(const Indices& indices) override {
    return {of_side(indices[0]), of_side(indices[1])};
  }

 private:
  EdgeGains of_side(const std::vector<u32>& indices) const {
    if (indices.empty()) return EdgeGains(p_.bins);
    std::vector<LocalBins> bins(p_.bins.size());
    for (std::size_t f = 0; f < bins.size(); ++f) {
      bins[f].first = p_.bins[f].first;
      bins[f].last = p_.bins[f].last;
      bins[f].bin = taken(p_.bins[f].bin, indices);
    }
    Targets targets;
    targets.n_classes = p_.targets.n_classes;
    targets.label = taken(p_.targets.label, indices);
    targets.y = taken(p_.targets.y, indices);
    targets.weight = taken(p_.targets.weight, indices);
    return pair_gains_of({targets, bins, p_.loss, p_.min_samples_leaf});
  }

  template <class Vector>
  static Vector taken(const Vector& from, const std::vector<u32>& indices) {
    if (from.empty()) return {};
    Vector out(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) out[i] = from[indices[i]];
    return out;
  }

  const PairHistogramProblem& p_;
};

}  // namespace

EdgeGains::EdgeGains(const std::vector<LocalBins>& bins) {
  first.push_back(0);
  for (const LocalBins& b : bins)
    first.push_back(first.back() + (b.size() > 0 ? b.size() - 1 : 0));
  for (auto* v : {&left, &right}) v->assign(first.back(), kNone);
  for (auto* v : {&left_leaf, &right_leaf, &left_weight}) v->resize(first.back());
}

EdgeGains pair_gains_of(const PairHistogramProblem& p) {
  if (countable(p)) return pair_counts_of(p);
  EdgeGains out(p.bins);
  for (std::size_t f = 0; f < p.bins.size(); ++f) fill_sides(p, f, out);
  if (!p.targets.classification()) {
    raise_by_sums(p, out);
    return out;
  }
  PairScorer scorer(p);
  for (std::size_t f = 0; f < p.bins.size(); ++f)
    for (std::size_t g = f; g < p.bins.size(); ++g) scorer.score(f, g, out);
  return out;
}

std::unique_ptr<DividedGains> make_divided_gains(const PairHistogramProblem& p) {
  if (countable(p)) return make_divided_counts(p);
  return std::make_unique<DividedSums>(p);
}

}  // namespace dpdtree
