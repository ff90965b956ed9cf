#include "generator/joint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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
      case 0: return ll;
      case 1: return here[last_b] - ll;
      case 2: return bottom[b] - ll;
      default: return bottom[last_b] - here[last_b] - bottom[b] + ll;
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

// Two unweighted classes and 0-1 loss: one plane of ±1 sums, in 16-bit integers; a leaf
// of n rows with sum d gets (n + |d|) / 2 right.
class BinaryPairScorer {
 public:
  BinaryPairScorer(const JointProblem& p, std::vector<i32>& twice_left,
                   std::vector<i32>& twice_right)
      : p_(p), twice_left_(twice_left), twice_right_(twice_right), sign_(p.rows.size()) {
    for (std::size_t i = 0; i < sign_.size(); ++i)
      sign_[i] = p.targets.label[p.rows[i]] != 0 ? 1 : -1;
  }

  void score(std::size_t f, std::size_t g) {
    const LocalBins &bf = p_.bins[f], &bg = p_.bins[g];
    std::memset(cell_, 0, sizeof cell_);
    const u8 *x = bf.bin.data(), *y = bg.bin.data();
    for (std::size_t i = 0; i < sign_.size(); ++i)
      cell_[x[i] * kB + y[i]] = static_cast<Cell>(cell_[x[i] * kB + y[i]] + sign_[i]);
    accumulate(bf.size());
    const std::size_t last_a = bf.size() - 1, last_b = bg.size() - 1;
    Cell g_left[kB] = {}, g_right[kB] = {};
    for (std::size_t a = 0; a < last_a; ++a)
      edge(a, last_a, last_b, f, g_left, g_right);
    for (std::size_t b = 0; b < last_b; ++b) {
      raise(twice_left_[g * kB + b], g_left[b]);
      raise(twice_right_[g * kB + b], g_right[b]);
    }
  }

 private:
  using Cell = std::int16_t;

  static void raise(i32& best, i32 value) { best = std::max(best, value); }
  static Cell abs16(int v) { return static_cast<Cell>(v < 0 ? -v : v); }

  void accumulate(std::size_t n_a) {
    for (std::size_t a = 0; a < n_a; ++a) {
      Cell* here = cell_ + a * kB;
      int sum = 0;
      for (std::size_t b = 0; b < kB; ++b) here[b] = static_cast<Cell>(sum += here[b]);
      if (a == 0) continue;
      const Cell* above = here - kB;
      for (std::size_t b = 0; b < kB; ++b)
        here[b] = static_cast<Cell>(here[b] + above[b]);
    }
  }

  // Bins beyond the last are empty: their columns repeat the last one and are harmless.
  void edge(std::size_t a, std::size_t last_a, std::size_t last_b, std::size_t f,
            Cell* g_left, Cell* g_right) {
    const Cell* here = cell_ + a * kB;
    const Cell* bottom = cell_ + last_a * kB;
    const Cell row = here[last_b];
    const Cell rest = static_cast<Cell>(bottom[last_b] - row);
    Cell left[kB], right[kB];
    for (std::size_t b = 0; b < kB; ++b) {
      const Cell ll = here[b];
      const Cell hl = static_cast<Cell>(bottom[b] - ll);
      const Cell q0 = abs16(ll), q1 = abs16(row - ll);
      const Cell q2 = abs16(hl), q3 = abs16(rest - hl);
      left[b] = static_cast<Cell>(q0 + q1);
      right[b] = static_cast<Cell>(q2 + q3);
      g_left[b] = std::max(g_left[b], static_cast<Cell>(q0 + q2));
      g_right[b] = std::max(g_right[b], static_cast<Cell>(q1 + q3));
    }
    Cell best_left = 0, best_right = 0;
    for (std::size_t b = 0; b < kB; ++b) {
      best_left = std::max(best_left, left[b]);
      best_right = std::max(best_right, right[b]);
    }
    raise(twice_left_[f * kB + a], best_left);
    raise(twice_right_[f * kB + a], best_right);
  }

  const JointProblem& p_;
  std::vector<i32>&twice_left_, &twice_right_;
  std::vector<Cell> sign_;
  Cell cell_[kB * kB];
};

// Several unweighted classes and 0-1 loss: 16-bit counts, one plane per class, the
// planes of one bin of f side by side so that a pass over them stays in cache.
class CountPairScorer {
 public:
  CountPairScorer(const JointProblem& p, std::vector<i32>& left, std::vector<i32>& right)
      : p_(p), left_(left), right_(right), k_(p.targets.n_classes) {
    label_.reserve(p.rows.size());
    for (const Row r : p.rows) label_.push_back(p.targets.label[r]);
  }

  void score(std::size_t f, std::size_t g) {
    const LocalBins &bf = p_.bins[f], &bg = p_.bins[g];
    width_ = (bg.size() + 7) / 8 * 8;
    cell_.assign(bf.size() * k_ * width_, 0);
    const u8 *x = bf.bin.data(), *y = bg.bin.data();
    for (std::size_t i = 0; i < label_.size(); ++i)
      ++cell_[(x[i] * k_ + label_[i]) * width_ + y[i]];
    accumulate(bf.size());
    const std::size_t last_a = bf.size() - 1, last_b = bg.size() - 1;
    Cell g_left[kB] = {}, g_right[kB] = {};
    for (std::size_t a = 0; a < last_a; ++a)
      edge(a, last_a, last_b, f, g_left, g_right);
    for (std::size_t b = 0; b < last_b; ++b) {
      left_[g * kB + b] = std::max<i32>(left_[g * kB + b], g_left[b]);
      right_[g * kB + b] = std::max<i32>(right_[g * kB + b], g_right[b]);
    }
  }

 private:
  using Cell = std::int16_t;

  void accumulate(std::size_t n_a) {
    const std::size_t block = k_ * width_;
    for (std::size_t line = 0; line < n_a * k_; ++line) {
      Cell* here = cell_.data() + line * width_;
      int sum = 0;
      for (std::size_t b = 0; b < width_; ++b)
        here[b] = static_cast<Cell>(sum += here[b]);
    }
    for (std::size_t i = block; i < n_a * block; ++i)
      cell_[i] = static_cast<Cell>(cell_[i] + cell_[i - block]);
  }

  void edge(std::size_t a, std::size_t last_a, std::size_t last_b, std::size_t f,
            Cell* g_left, Cell* g_right) {
    Cell q0[kB] = {}, q1[kB] = {}, q2[kB] = {}, q3[kB] = {};
    for (std::size_t k = 0; k < k_; ++k) {
      const Cell* here = cell_.data() + (a * k_ + k) * width_;
      const Cell* bottom = cell_.data() + (last_a * k_ + k) * width_;
      const Cell row = here[last_b];
      const Cell rest = static_cast<Cell>(bottom[last_b] - row);
      for (std::size_t b = 0; b < width_; ++b) {
        const Cell ll = here[b], hl = static_cast<Cell>(bottom[b] - ll);
        q0[b] = std::max(q0[b], ll);
        q1[b] = std::max(q1[b], static_cast<Cell>(row - ll));
        q2[b] = std::max(q2[b], hl);
        q3[b] = std::max(q3[b], static_cast<Cell>(rest - hl));
      }
    }
    Cell best_left = 0, best_right = 0;
    for (std::size_t b = 0; b < width_; ++b) {
      best_left = std::max(best_left, static_cast<Cell>(q0[b] + q1[b]));
      best_right = std::max(best_right, static_cast<Cell>(q2[b] + q3[b]));
      g_left[b] = std::max(g_left[b], static_cast<Cell>(q0[b] + q2[b]));
      g_right[b] = std::max(g_right[b], static_cast<Cell>(q1[b] + q3[b]));
    }
    left_[f * kB + a] = std::max<i32>(left_[f * kB + a], best_left);
    right_[f * kB + a] = std::max<i32>(right_[f * kB + a], best_right);
  }

  const JointProblem& p_;
  std::vector<i32>&left_, &right_;
  std::size_t k_;
  std::size_t width_ = 0;
  std::vector<u16> label_;
  std::vector<Cell> cell_;
};

template <class F>
void for_pairs(std::size_t n_features, F&& visit) {
  for (std::size_t f = 0; f < n_features; ++f)
    for (std::size_t g = f; g < n_features; ++g) visit(f, g);
}

// Weight and leaf gains of both sides of every edge of one feature.
void fill_sides(const JointProblem& p, const LocalBins& bins, SideGains& out) {
  const Targets& t = p.targets;
  const std::size_t width = t.stats_width();
  const std::size_t edges = bins.size() > 0 ? bins.size() - 1 : 0;
  std::vector<double> per_bin(bins.size() * width, 0.0);
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const Row r = p.rows[i];
    double* s = per_bin.data() + bins.bin[i] * width;
    const double w = t.weighted() ? t.weight[r] : 1.0;
    if (t.classification()) {
      s[t.label[r]] += w;
    } else {
      s[0] += w;
      s[1] += w * t.y[r];
      s[2] += w * t.y[r] * t.y[r];
    }
  }
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
  std::vector<i32> left(n_features * kB, 0), right(n_features * kB, 0);
  const bool binary = p.targets.n_classes == 2;
  if (binary) {
    BinaryPairScorer scorer(p, left, right);
    for_pairs(n_features, [&](auto f, auto g) { scorer.score(f, g); });
  } else {
    CountPairScorer scorer(p, left, right);
    for_pairs(n_features, [&](auto f, auto g) { scorer.score(f, g); });
  }
  const auto n = static_cast<float>(p.rows.size());
  for (std::size_t f = 0; f < n_features; ++f) {
    for (std::size_t a = 0; a < out[f].left.size(); ++a) {
      const auto l = static_cast<float>(left[f * kB + a]);
      const auto r = static_cast<float>(right[f * kB + a]);
      const float n_left = out[f].left_weight[a];
      out[f].left[a] = binary ? (n_left + l) / 2 : l;
      out[f].right[a] = binary ? (n - n_left + r) / 2 : r;
    }
  }
  return out;
}

}  // namespace dpdtree
