#define DPDTREE_LANES lanes_joint
#include "generator/joint.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/lanes.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kB = kMaxLocalBins;
constexpr float kNone = -std::numeric_limits<float>::infinity();

using Sixty4 = float[kB];

// Sums over the cells of a pair, one plane per statistic: a class each, or weight and
// Σwy; and, if leaves have a minimum size, the number of rows.
class Planes {
 public:
  explicit Planes(const JointProblem& p)
      : n_stats_(p.targets.classification() ? p.targets.n_classes : 2),
        counted_(p.min_samples_leaf > 1) {
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

  // Cells → sums over all cells with smaller or equal bins.
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

void fill(Planes& planes, const JointProblem& p, const LocalBins& f,
          const LocalBins& g) {
  planes.clear();
  const Targets& t = p.targets;
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const Row r = p.rows[i];
    const std::size_t cell = f.bin[i] * kB + g.bin[i];
    const float w = t.weighted() ? static_cast<float>(t.weight[r]) : 1.0f;
    float* first = planes.row(0, 0) + cell;
    if (t.classification()) {
      first[t.label[r] * kB * kB] += w;
    } else {
      first[0] += w;
      first[kB * kB] += w * static_cast<float>(t.y[r]);
    }
    if (planes.counted()) first[planes.n_stats() * kB * kB] += 1.0f;
  }
}

// Gains of leaves, for a run of cells. q[plane][b] holds the statistics.
void leaf_gains(Measure loss, std::size_t n_stats, const Sixty4* q, std::size_t n,
                float* gain) {
  if (loss == Measure::zero_one) {
    std::copy(q[0], q[0] + n, gain);
    for (std::size_t k = 1; k < n_stats; ++k)
      for (std::size_t b = 0; b < n; ++b) gain[b] = std::max(gain[b], q[k][b]);
    return;
  }
  if (loss == Measure::squared_error) {
    for (std::size_t b = 0; b < n; ++b)
      gain[b] = q[0][b] > 0 ? q[1][b] * q[1][b] / q[0][b] : 0.0f;
    return;
  }
  for (std::size_t b = 0; b < n; ++b) {
    float w = 0, sum = 0;
    for (std::size_t k = 0; k < n_stats; ++k) {
      w += q[k][b];
      sum += loss == Measure::gini
                 ? q[k][b] * q[k][b]
                 : static_cast<float>(xlogx(static_cast<double>(q[k][b])));
    }
    if (loss == Measure::gini)
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
  explicit PairScorer(const JointProblem& p)
      : p_(p), planes_(p), q_(planes_.n_stats() * kB) {}

  void score(std::size_t f, std::size_t g, std::vector<SideGains>& out) {
    const LocalBins &bf = p_.bins[f], &bg = p_.bins[g];
    fill(planes_, p_, bf, bg);
    planes_.accumulate(bf.size(), bg.size());
    const std::size_t n_a = bf.size() - 1, n_b = bg.size() - 1;  // edges
    if (n_a == 0 && n_b == 0) return;
    for (std::size_t a = 0; a < n_a; ++a) {
      quadrants(a, bf.size() - 1, bg.size() - 1, n_b);
      combine(a, n_b, out[f], out[g]);
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

  void combine(std::size_t a, std::size_t n_b, SideGains& f, SideGains& g) const {
    const Sixty4* x = quad_.gain;
    float left = kNone, right = kNone;
    for (std::size_t b = 0; b < n_b; ++b) {
      left = std::max(left, x[0][b] + x[1][b]);
      right = std::max(right, x[2][b] + x[3][b]);
    }
    f.left[a] = std::max(f.left[a], left);
    f.right[a] = std::max(f.right[a], right);
    for (std::size_t b = 0; b < n_b; ++b) {
      g.left[b] = std::max(g.left[b], x[0][b] + x[2][b]);
      g.right[b] = std::max(g.right[b], x[1][b] + x[3][b]);
    }
  }

  const JointProblem& p_;
  Planes planes_;
  std::vector<float> q_;
  Quadrants quad_;
};

constexpr std::size_t kLane = 16;

// Best sums of both sides of every edge, by feature.
struct EdgeSums {
  std::vector<i32> left, right;  // kB per feature

  void raise_left(std::size_t f, std::size_t edge, i32 value) {
    left[f * kB + edge] = std::max(left[f * kB + edge], value);
  }
  void raise_right(std::size_t f, std::size_t edge, i32 value) {
    right[f * kB + edge] = std::max(right[f * kB + edge], value);
  }
};

// Unweighted classes and 0-1 loss: 16-bit sums. Two classes need one plane of ±1 (a
// leaf of n rows with sum d gets (n + |d|) / 2 right); more need one plane of counts
// each, the planes of one bin of f side by side. Bins beyond the last are empty: their
// columns repeat the last one and do no harm.
class CountPairScorer {
 public:
  CountPairScorer(const JointProblem& p, EdgeSums& sums)
      : p_(p), sums_(sums), k_(p.targets.n_classes == 2 ? 1 : p.targets.n_classes) {
    for (std::size_t i = 0; i < p.rows.size(); ++i) {
      const u16 label = p.targets.label[p.rows[i]];
      if (runs_.empty() || runs_.back().label != label) runs_.push_back({label, i, i});
      runs_.back().end = i + 1;
    }
    cell_.resize(kB * k_ * kB + kLane);
  }

  void score(std::size_t f, std::size_t g) {
    const LocalBins &bf = p_.bins[f], &bg = p_.bins[g];
    width_ = (bg.size() + kLane - 1) / kLane * kLane;
    Cell* cell = cells();
    std::fill(cell, cell + bf.size() * k_ * width_, Cell{0});
    const u8 *x = bf.bin.data(), *y = bg.bin.data();
    const std::size_t stride = k_ * width_;
    for (const Run& run : runs_) {
      Cell* plane = cell + (k_ == 1 ? 0 : run.label * width_);
      if (k_ == 1 && run.label == 0)
        for (std::size_t i = run.begin; i < run.end; ++i) --plane[x[i] * stride + y[i]];
      else
        for (std::size_t i = run.begin; i < run.end; ++i) ++plane[x[i] * stride + y[i]];
    }
    accumulate(bf.size());
    alignas(32) Cell g_left[kB] = {}, g_right[kB] = {};
    const std::size_t last_a = bf.size() - 1, last_b = bg.size() - 1;
    for (std::size_t a = 0; a < last_a; ++a) {
      k_ == 1 ? signed_edge(a, last_a, last_b, f, g_left, g_right)
              : counted_edge(a, last_a, last_b, f, g_left, g_right);
    }
    for (std::size_t b = 0; b < last_b; ++b) {
      sums_.raise_left(g, b, g_left[b]);
      sums_.raise_right(g, b, g_right[b]);
    }
  }

 private:
  using Cell = std::int16_t;

  // The first place of the buffer that vector loads can start at.
  Cell* cells() {
    const auto address = reinterpret_cast<std::uintptr_t>(cell_.data());
    return cell_.data() + ((32 - address % 32) % 32) / sizeof(Cell);
  }

  void accumulate(std::size_t n_a) {
    Cell* cell = cells();
    const std::size_t block = k_ * width_;
    for (std::size_t line = 0; line < n_a * k_; ++line) {
      Cell* here = cell + line * width_;
      int sum = 0;
      for (std::size_t b = 0; b < width_; ++b)
        here[b] = static_cast<Cell>(sum += here[b]);
    }
    for (std::size_t i = block; i < n_a * block; i += kLane) {
      const Lanes sum = Lanes::load(cell + i) + Lanes::load(cell + i - block);
      sum.store(cell + i);
    }
  }

  // Largest sums of two quadrants, for one edge of f and sixteen edges of g at a time.
  struct Best {
    Lanes left = Lanes::zero(), right = Lanes::zero();

    void take(Lanes q0, Lanes q1, Lanes q2, Lanes q3, Cell* g_left, Cell* g_right) {
      left = Lanes::max(left, q0 + q1);
      right = Lanes::max(right, q2 + q3);
      Lanes::max(Lanes::load(g_left), q0 + q2).store(g_left);
      Lanes::max(Lanes::load(g_right), q1 + q3).store(g_right);
    }
  };

  void keep(const Best& best, std::size_t f, std::size_t a) {
    sums_.raise_left(f, a, largest_lane(best.left));
    sums_.raise_right(f, a, largest_lane(best.right));
  }

  void signed_edge(std::size_t a, std::size_t last_a, std::size_t last_b, std::size_t f,
                   Cell* g_left, Cell* g_right) {
    const Cell *here = cells() + a * width_, *bottom = cells() + last_a * width_;
    const Lanes row = Lanes::all(here[last_b]);
    const Lanes rest = Lanes::all(static_cast<Cell>(bottom[last_b] - here[last_b]));
    Best best;
    for (std::size_t b = 0; b < width_; b += kLane) {
      const Lanes ll = Lanes::load(here + b), hl = Lanes::load(bottom + b) - ll;
      best.take(absolute(ll), absolute(row - ll), absolute(hl), absolute(rest - hl),
                g_left + b, g_right + b);
    }
    keep(best, f, a);
  }

  void counted_edge(std::size_t a, std::size_t last_a, std::size_t last_b,
                    std::size_t f, Cell* g_left, Cell* g_right) {
    const Cell *here = cells() + a * k_ * width_,
               *bottom = cells() + last_a * k_ * width_;
    Best best;
    for (std::size_t b = 0; b < width_; b += kLane) {
      Lanes q0 = Lanes::zero(), q1 = q0, q2 = q0, q3 = q0;
      for (std::size_t k = 0; k < k_; ++k) {
        const Cell *h = here + k * width_, *bot = bottom + k * width_;
        const Lanes ll = Lanes::load(h + b), hl = Lanes::load(bot + b) - ll;
        q0 = Lanes::max(q0, ll);
        q1 = Lanes::max(q1, Lanes::all(h[last_b]) - ll);
        q2 = Lanes::max(q2, hl);
        q3 =
            Lanes::max(q3, Lanes::all(static_cast<Cell>(bot[last_b] - h[last_b])) - hl);
      }
      best.take(q0, q1, q2, q3, g_left + b, g_right + b);
    }
    keep(best, f, a);
  }

  const JointProblem& p_;
  EdgeSums& sums_;
  std::size_t k_;
  std::size_t width_ = 0;
  struct Run {
    u16 label;
    std::size_t begin, end;
  };
  std::vector<Run> runs_;
  std::vector<Cell> cell_;
};

template <class F>
void for_pairs(std::size_t n_features, F&& visit) {
  for (std::size_t f = 0; f < n_features; ++f)
    for (std::size_t g = f; g < n_features; ++g) visit(f, g);
}

// The statistics of every bin of one feature.
std::vector<double> bin_stats(const JointProblem& p, const LocalBins& bins) {
  const Targets& t = p.targets;
  const std::size_t width = t.stats_width(), n = p.rows.size();
  if (t.exact_sums()) {
    std::vector<u32> count(bins.size() * width, 0);
    for (std::size_t i = 0; i < n; ++i)
      ++count[bins.bin[i] * width + t.label[p.rows[i]]];
    return {count.begin(), count.end()};
  }
  std::vector<double> stats(bins.size() * width, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Row r = p.rows[i];
    double* s = stats.data() + bins.bin[i] * width;
    const double w = t.weighted() ? t.weight[r] : 1.0;
    if (t.classification()) {
      s[t.label[r]] += w;
      continue;
    }
    s[0] += w;
    s[1] += w * t.y[r];
    s[2] += w * t.y[r] * t.y[r];
  }
  return stats;
}

// Weight and leaf gains of both sides of every edge of one feature.
void fill_sides(const JointProblem& p, const LocalBins& bins, SideGains& out) {
  const Targets& t = p.targets;
  const std::size_t width = t.stats_width();
  const std::size_t edges = bins.size() > 0 ? bins.size() - 1 : 0;
  const std::vector<double> per_bin = bin_stats(p, bins);
  std::vector<double> left(width, 0.0), right(width, 0.0);
  for (std::size_t b = 0; b < bins.size(); ++b)
    for (std::size_t k = 0; k < width; ++k) right[k] += per_bin[b * width + k];
  const auto gain = [&](const std::vector<double>& s) {
    // Σ w·y² is the same for every tree, so that squared errors are gains as well.
    const double whole = t.classification() ? t.total_weight(s) : s[2];
    const double m = mass(p.loss, s);
    if (p.loss == Measure::log_loss) return static_cast<float>(-m);
    return static_cast<float>(whole - m);
  };
  for (auto* v : {&out.left, &out.right}) v->assign(edges, kNone);
  for (auto* v : {&out.left_leaf, &out.right_leaf, &out.left_weight}) v->resize(edges);
  for (std::size_t a = 0; a < edges; ++a) {
    for (std::size_t k = 0; k < width; ++k) {
      left[k] += per_bin[a * width + k];
      right[k] -= per_bin[a * width + k];
    }
    out.left_leaf[a] = gain(left);
    out.right_leaf[a] = gain(right);
    out.left_weight[a] = static_cast<float>(t.total_weight(left));
  }
}

}  // namespace

std::vector<SideGains> joint_gains(const JointProblem& p) {
  const std::size_t n_features = p.bins.size();
  std::vector<SideGains> out(n_features);
  for (std::size_t f = 0; f < n_features; ++f) fill_sides(p, p.bins[f], out[f]);

  const bool counts = p.targets.classification() && !p.targets.weighted() &&
                      p.loss == Measure::zero_one && p.min_samples_leaf == 1 &&
                      p.rows.size() < 0x7fff;
  if (!counts) {
    PairScorer scorer(p);
    for_pairs(n_features, [&](auto f, auto g) { scorer.score(f, g, out); });
    return out;
  }
  const bool binary = p.targets.n_classes == 2;
  EdgeSums sums{std::vector<i32>(n_features * kB, 0),
                std::vector<i32>(n_features * kB, 0)};
  CountPairScorer scorer(p, sums);
  for_pairs(n_features, [&](auto f, auto g) { scorer.score(f, g); });
  const auto n = static_cast<float>(p.rows.size());
  for (std::size_t f = 0; f < n_features; ++f) {
    for (std::size_t a = 0; a < out[f].left.size(); ++a) {
      const auto l = static_cast<float>(sums.left[f * kB + a]);
      const auto r = static_cast<float>(sums.right[f * kB + a]);
      const float n_left = out[f].left_weight[a];
      out[f].left[a] = binary ? (n_left + l) / 2 : l;
      out[f].right[a] = binary ? (n - n_left + r) / 2 : r;
    }
  }
  return out;
}

}  // namespace dpdtree
