#include "search/lookahead/pair_histogram_counts.hpp"

#include <algorithm>

#include "simd/dispatch.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kB = kMaxLocalBins;

// Counts that vector loads can start at.
class Counts {
 public:
  explicit Counts(std::size_t n) : store_(n + kLane, Count{0}) {}
  Count* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(store_.data());
    const std::size_t skipped = ((32 - address % 32) % 32) / sizeof(Count);
    return store_.data() + skipped;
  }

 private:
  std::vector<Count> store_;
};

// The rows to count: their bins by feature, and where each class starts and ends.
struct CountedRows {
  struct Run {
    u32 label;
    std::size_t begin, end;
  };
  std::vector<const u8*> bin;
  std::vector<Run> runs;
  std::size_t n = 0;

  void add_run(u32 label, std::size_t n_rows) {
    if (n_rows > 0) runs.push_back({label, n, n + n_rows});
    n += n_rows;
  }
};

// Best sums of both sides of every edge, kB per feature.
class EdgeSums {
 public:
  explicit EdgeSums(std::size_t n_features)
      : left_(n_features * kB), right_(n_features * kB) {}
  Count* left(std::size_t f) { return left_.data() + f * kB; }
  Count* right(std::size_t f) { return right_.data() + f * kB; }
  EdgeMaxima maxima(std::size_t f, std::size_t g) {
    return {left(f), right(f), left(g), right(g)};
  }

 private:
  Counts left_, right_;
};

// Two classes need one plane of ±1 (a leaf of n rows with sum d gets (n + |d|) / 2
// right); more need one plane of counts each.
class PairCounter {
 public:
  explicit PairCounter(const PairHistogramProblem& p)
      : p_(p),
        kernels_(kernels().pair_histogram),
        planes_(p.targets.n_classes == 2 ? 1 : p.targets.n_classes) {
    std::size_t most = 0;
    for (const LocalBins& bins : p.bins)
      most = std::max<std::size_t>(most, bins.size());
    pitch_ = (most + kLane - 1) / kLane * kLane;
    most_cells_ = most * planes_ * pitch_;
  }

  const PairHistogramKernels& use() const { return kernels_; }
  std::size_t most_cells() const { return most_cells_; }
  std::size_t n_features() const { return p_.bins.size(); }
  TableShape shape(std::size_t f, std::size_t g) const {
    return {p_.bins[f].size(), p_.bins[g].size(), planes_, pitch_};
  }
  std::size_t cells(std::size_t f) const {
    return p_.bins[f].size() * planes_ * pitch_;
  }

  // All pairs (f, g) of this f follow; at least two bins each.
  void start(const CountedRows& rows, std::size_t f) {
    offset_.resize(rows.n);
    const u8* x = rows.bin[f];
    const auto block = static_cast<u32>(planes_ * pitch_);
    for (std::size_t i = 0; i < rows.n; ++i) offset_[i] = x[i] * block;
  }

  void count(const CountedRows& rows, std::size_t f, std::size_t g,
             Count* table) const {
    std::fill(table, table + cells(f), Count{0});
    for (const CountedRows::Run& run : rows.runs) {
      if (planes_ > 1)
        add<1>(rows.bin[g], run, table + run.label * pitch_);
      else
        run.label == 0 ? add<-1>(rows.bin[g], run, table)
                       : add<1>(rows.bin[g], run, table);
    }
    kernels_.accumulate(table, shape(f, g));
  }

 private:
  // From four rows at once: neighbouring rows often fall into the same cell, and an
  // increment has to wait for the one before it.
  template <int Step>
  void add(const u8* y, const CountedRows::Run& run, Count* table) const {
    const u32* x = offset_.data();
    const auto hit = [&](std::size_t i) {
      Count& cell = table[x[i] + y[i]];
      cell = static_cast<Count>(cell + Step);
    };
    const std::size_t quarter = (run.end - run.begin) / 4;
    const std::size_t a = run.begin, b = a + quarter, c = b + quarter, d = c + quarter;
    for (std::size_t i = 0; i < quarter; ++i) {
      hit(a + i);
      hit(b + i);
      hit(c + i);
      hit(d + i);
    }
    for (std::size_t i = d + quarter; i < run.end; ++i) hit(i);
  }

  const PairHistogramProblem& p_;
  PairHistogramKernels kernels_;
  std::size_t planes_;
  std::size_t pitch_ = 0;
  std::size_t most_cells_ = 0;
  std::vector<u32> offset_;
};

// Rows per bin and class of every feature: first[f] + bin · n_classes + class.
class BinCounts {
 public:
  BinCounts(const PairHistogramProblem& p, const CountedRows& rows)
      : width_(p.targets.n_classes) {
    std::size_t n = 0;
    for (const LocalBins& bins : p.bins) {
      first_.push_back(n);
      n += bins.size() * width_;
    }
    count_.assign(n, 0);
    for (std::size_t f = 0; f < p.bins.size(); ++f)
      for (const CountedRows::Run& run : rows.runs) {
        u32* count = count_.data() + first_[f] + run.label;
        for (std::size_t i = run.begin; i < run.end; ++i)
          ++count[rows.bin[f][i] * width_];
      }
  }

  BinCounts without(const BinCounts& part) const {
    BinCounts rest = *this;
    for (std::size_t i = 0; i < count_.size(); ++i) rest.count_[i] -= part.count_[i];
    return rest;
  }

  std::size_t width() const { return width_; }
  const u32* of(std::size_t f, std::size_t bin) const {
    return count_.data() + first_[f] + bin * width_;
  }

 private:
  std::size_t width_;
  std::vector<std::size_t> first_;
  std::vector<u32> count_;
};

// From the best sums to gains.
void convert(const PairHistogramProblem& p, const BinCounts& counts, EdgeSums& sums,
             EdgeGains& out) {
  const std::size_t width = counts.width();
  std::vector<u32> left(width), right(width);
  for (std::size_t f = 0; f < p.bins.size(); ++f) {
    std::fill(left.begin(), left.end(), 0u);
    std::fill(right.begin(), right.end(), 0u);
    u32 n_left = 0, n_right = 0;
    for (std::size_t b = 0; b < p.bins[f].size(); ++b)
      for (std::size_t k = 0; k < width; ++k) {
        right[k] += counts.of(f, b)[k];
        n_right += counts.of(f, b)[k];
      }
    for (std::size_t b = 0; b + 1 < p.bins[f].size(); ++b) {
      for (std::size_t k = 0; k < width; ++k) {
        const u32 moved = counts.of(f, b)[k];
        left[k] += moved;
        right[k] -= moved;
        n_left += moved;
        n_right -= moved;
      }
      const std::size_t edge = out.first[f] + b;
      const int l = sums.left(f)[b], r = sums.right(f)[b];
      out.left_weight[edge] = static_cast<float>(n_left);
      out.left_leaf[edge] =
          static_cast<float>(*std::max_element(left.begin(), left.end()));
      out.right_leaf[edge] =
          static_cast<float>(*std::max_element(right.begin(), right.end()));
      out.left[edge] = width == 2 ? static_cast<float>(static_cast<int>(n_left) + l) / 2
                                  : static_cast<float>(l);
      out.right[edge] = width == 2
                            ? static_cast<float>(static_cast<int>(n_right) + r) / 2
                            : static_cast<float>(r);
    }
  }
}

CountedRows all_rows(const PairHistogramProblem& p) {
  CountedRows rows;
  for (const LocalBins& bins : p.bins) rows.bin.push_back(bins.bin.data());
  const auto& label = p.targets.label;
  for (std::size_t i = 0; i < label.size();) {
    std::size_t end = i;
    while (end < label.size() && label[end] == label[i]) ++end;
    rows.add_run(label[i], end - i);
    i = end;
  }
  return rows;
}

template <class F>
void for_pairs(PairCounter& counter, const CountedRows& rows, F&& visit) {
  for (std::size_t f = 0; f < counter.n_features(); ++f) {
    counter.start(rows, f);
    for (std::size_t g = f; g < counter.n_features(); ++g) visit(f, g);
  }
}

// Keeps the tables of all rows: those of one side are counted, those of the other are
// the difference.
class DividedCounts final : public DividedGains {
 public:
  explicit DividedCounts(const PairHistogramProblem& p)
      : p_(p),
        counter_(p),
        rows_(all_rows(p)),
        bin_counts_(p, rows_),
        part_(counter_.most_cells()),
        rest_(counter_.most_cells()) {
    for_pairs(counter_, rows_, [&](std::size_t f, std::size_t g) {
      whole_.emplace_back(counter_.cells(f));
      counter_.count(rows_, f, g, whole_.back().data());
    });
  }

  std::array<EdgeGains, 2> gains(const Indices& indices) override {
    const int small = indices[0].size() <= indices[1].size() ? 0 : 1;
    const CountedRows rows = take(indices[static_cast<std::size_t>(small)]);
    const std::size_t n_features = p_.bins.size();
    EdgeSums part_sums(n_features), rest_sums(n_features);
    std::size_t pair = 0;
    for_pairs(counter_, rows, [&](std::size_t f, std::size_t g) {
      counter_.count(rows, f, g, part_.data());
      counter_.use().subtract(whole_[pair++].data(), part_.data(), rest_.data(),
                              counter_.cells(f));
      const TableShape shape = counter_.shape(f, g);
      counter_.use().raise_edges(part_.data(), shape, part_sums.maxima(f, g));
      counter_.use().raise_edges(rest_.data(), shape, rest_sums.maxima(f, g));
    });
    const BinCounts part(p_, rows), rest = bin_counts_.without(part);
    std::array<EdgeGains, 2> out{EdgeGains(p_.bins), EdgeGains(p_.bins)};
    convert(p_, part, part_sums, out[static_cast<std::size_t>(small)]);
    convert(p_, rest, rest_sums, out[static_cast<std::size_t>(1 - small)]);
    return out;
  }

 private:
  CountedRows take(const std::vector<u32>& indices) {
    CountedRows rows;
    taken_.resize(p_.bins.size() * indices.size());
    for (std::size_t f = 0; f < p_.bins.size(); ++f) {
      u8* to = taken_.data() + f * indices.size();
      const u8* from = p_.bins[f].bin.data();
      for (std::size_t i = 0; i < indices.size(); ++i) to[i] = from[indices[i]];
      rows.bin.push_back(to);
    }
    auto at = indices.begin();
    for (const CountedRows::Run& run : rows_.runs) {
      const auto end = std::lower_bound(at, indices.end(), static_cast<u32>(run.end));
      rows.add_run(run.label, static_cast<std::size_t>(end - at));
      at = end;
    }
    return rows;
  }

  const PairHistogramProblem& p_;
  PairCounter counter_;
  CountedRows rows_;
  BinCounts bin_counts_;
  std::vector<Counts> whole_;  // by pair, (0, 0), (0, 1), …
  Counts part_, rest_;
  std::vector<u8> taken_;
};

}  // namespace

bool countable(const PairHistogramProblem& p) {
  return p.targets.classification() && !p.targets.weighted() &&
         p.loss == Criterion::zero_one && p.min_samples_leaf == 1 &&
         p.n_rows() < 0x7fff;
}

EdgeGains pair_counts_of(const PairHistogramProblem& p) {
  PairCounter counter(p);
  const CountedRows rows = all_rows(p);
  EdgeSums sums(p.bins.size());
  Counts table(counter.most_cells());
  for_pairs(counter, rows, [&](std::size_t f, std::size_t g) {
    counter.count(rows, f, g, table.data());
    counter.use().raise_edges(table.data(), counter.shape(f, g), sums.maxima(f, g));
  });
  EdgeGains out(p.bins);
  convert(p, BinCounts(p, rows), sums, out);
  return out;
}

std::unique_ptr<DividedGains> make_divided_counts(const PairHistogramProblem& p) {
  return std::make_unique<DividedCounts>(p);
}

}  // namespace dpdtree
