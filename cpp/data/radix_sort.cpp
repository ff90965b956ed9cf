// Radix sort by short keys (see sort_keys.hpp). The rows of a long column are first
// divided into buckets that fit the second cache. A bucket is sorted from the least
// significant digit on, and then the few runs of values that share a key are repaired.
#include "data/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "data/sort_keys.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kBucketRows = 1u << 12;
constexpr u32 kMostBucketBits = 8;
constexpr u32 kMostDigitBits = 12;
constexpr u32 kMostPasses = 3;
constexpr std::size_t kSortDirectly = 256;

class Sorter {
 public:
  Sorter(std::span<const double> values, SortScratch& scratch, ThreadPool* pool)
      : values_(values),
        pool_(pool),
        pieces_(n_pieces(pool, values.size())),
        keys_(values, measure()),
        words_(scratch.words),
        other_(scratch.other) {}

  SortedRows run() {
    words_.resize(n_);
    other_.resize(n_);
    out_.rows.resize(n_);
    out_.starts.assign(n_ / 64 + 1, 0);
    low_bits_ = keys_.n_bits();
    if (n_ > 32 * kBucketRows)
      low_bits_ -= std::min({static_cast<u32>(std::bit_width(n_ / kBucketRows)),
                             kMostBucketBits, low_bits_});
    fill_buckets();
    std::vector<std::size_t> distinct(bucket_end_.size());
    const auto sort = [&](std::size_t b, unsigned) {
      const std::size_t begin = b == 0 ? 0 : bucket_end_[b - 1];
      distinct[b] = sort_bucket(begin, bucket_end_[b]);
    };
    if (pieces_ > 1)
      pool_->parallel_for(bucket_end_.size(), sort);
    else
      for (std::size_t b = 0; b < bucket_end_.size(); ++b) sort(b, 0);
    for (const std::size_t d : distinct) out_.n_distinct += d;
    out_.starts[n_ / 64] |= 1ULL << (n_ % 64);
    return std::move(out_);
  }

 private:
  template <class F>
  void each_piece(const F& f) {
    for_pieces(pool_, values_.size(), pieces_, f);
  }

  Spread measure() {
    std::vector<Spread> part(pieces_);
    each_piece([&](std::size_t begin, std::size_t end, std::size_t p) {
      part[p] = spread_of(values_.subspan(begin, end - begin));
    });
    Spread all;
    for (const Spread& p : part) all.add(p);
    n_ = all.count;
    return all;
  }

  // f(key, row) for the values [begin, end).
  template <class F>
  void each_key(std::size_t begin, std::size_t end, F f) const {
    keys_.visit([&](auto key) {
      if (n_ == values_.size()) {
        for (std::size_t i = begin; i < end; ++i) f(key(values_[i]), i);
      } else {
        for (std::size_t i = begin; i < end; ++i)
          if (!std::isnan(values_[i])) f(key(values_[i]), i);
      }
    });
  }

  // Writes words of key and row, by bucket.
  void fill_buckets() {
    const std::size_t n_buckets = std::size_t{1} << (keys_.n_bits() - low_bits_);
    std::vector<std::vector<u32>> at(pieces_);
    each_piece([&](std::size_t begin, std::size_t end, std::size_t p) {
      at[p].assign(n_buckets, 0);
      if (n_buckets == 1)
        each_key(begin, end, [count = at[p].data()](u64, auto) { ++*count; });
      else
        each_key(begin, end, [count = at[p].data(), shift = low_bits_](u64 key, auto) {
          ++count[key >> shift];
        });
    });
    u32 sum = 0;
    for (std::size_t b = 0; b < n_buckets; ++b) {
      for (auto& piece : at) {
        const u32 count = piece[b];
        piece[b] = sum;
        sum += count;
      }
      bucket_end_.push_back(sum);
    }
    each_piece([&](std::size_t begin, std::size_t end, std::size_t p) {
      u64* out = words_.data();
      if (n_buckets == 1) {
        out += at[p][0];
        each_key(begin, end, [&](u64 key, std::size_t i) { *out++ = key << 32 | i; });
      } else {
        each_key(begin, end,
                 [=, to = at[p].data(), shift = low_bits_](u64 key, std::size_t i) {
                   out[to[key >> shift]++] = key << 32 | i;
                 });
      }
    });
  }

  // Sorts the words [begin, end) and writes what follows from them. Returns how many
  // values differ.
  std::size_t sort_bucket(std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    u64* words = words_.data() + begin;
    if (n <= kSortDirectly) {
      std::sort(words, words + n);
    } else if (const u32 passes = (low_bits_ + kMostDigitBits - 1) / kMostDigitBits;
               passes == 1) {
      words = sort_digits<1>(words, other_.data() + begin, n);
    } else if (passes == 2) {
      words = sort_digits<2>(words, other_.data() + begin, n);
    } else if (passes == kMostPasses) {
      words = sort_digits<kMostPasses>(words, other_.data() + begin, n);
    }
    return write_rows(words, begin, n);
  }

  // Returns where the sorted words are: here or there.
  template <u32 n_passes>
  u64* sort_digits(u64* words, u64* other, std::size_t n) const {
    const u32 bits = (low_bits_ + n_passes - 1) / n_passes;
    const u32 mask = (1u << bits) - 1;
    std::array<std::array<u32, 1u << kMostDigitBits>, n_passes> at;
    for (auto& counts : at) std::fill_n(counts.begin(), mask + 1, 0u);
    for (std::size_t i = 0; i < n; ++i)
      for (u32 pass = 0; pass < n_passes; ++pass)
        ++at[pass][words[i] >> (32 + bits * pass) & mask];
    for (u32 pass = 0; pass < n_passes; ++pass) {
      u32* to = at[pass].data();
      u32 sum = 0;
      for (u32 d = 0; d <= mask; ++d) sum += std::exchange(to[d], sum);
      const u32 shift = 32 + bits * pass;
      for (std::size_t i = 0; i < n; ++i)
        other[to[words[i] >> shift & mask]++] = words[i];
      std::swap(words, other);
    }
    return words;
  }

  std::size_t write_rows(const u64* words, std::size_t begin, std::size_t n) {
    const std::size_t distinct = write_keys(words, begin, n);
    return keys_.exact() || distinct == n ? distinct
                                          : distinct + repair_runs(words, begin, n);
  }

  // As if equal keys meant equal values. Buckets meet in the middle of a word of
  // starts.
  std::size_t write_keys(const u64* words, std::size_t begin, std::size_t n) {
    u32* rows = out_.rows.data() + begin;
    std::size_t distinct = 0;
    u64 before = n > 0 ? ~words[0] : 0;
    for (std::size_t first = 0; first < n;) {
      const std::size_t position = begin + first;
      const std::size_t last = std::min(n, first + 64 - position % 64);
      u64 starts = 0;
      for (std::size_t i = first; i < last; ++i) {
        rows[i] = static_cast<u32>(words[i]);
        starts |= u64{(words[i] ^ before) >> 32 != 0} << (i - first);
        before = words[i];
      }
      add_starts(position / 64, starts << (position % 64));
      distinct += static_cast<std::size_t>(std::popcount(starts));
      first = last;
    }
    return distinct;
  }

  void add_starts(std::size_t word, u64 bits) {
    __atomic_fetch_or(&out_.starts[word], bits, __ATOMIC_RELAXED);
  }

  // Orders the runs of equal keys by their values. Returns how many more values differ
  // than keys.
  std::size_t repair_runs(const u64* words, std::size_t begin, std::size_t n) {
    u32* rows = out_.rows.data() + begin;
    const auto same_key = [=](std::size_t i) {
      return (words[i] ^ words[i - 1]) >> 32 == 0;
    };
    const auto less = [&](u32 a, u32 b) { return values_[a] < values_[b]; };
    std::size_t more = 0;
    for (std::size_t i = 1; i < n; ++i) {
      if (!same_key(i)) continue;
      const std::size_t first = i - 1;
      while (i < n && same_key(i)) ++i;
      if (!std::is_sorted(rows + first, rows + i, less))
        std::stable_sort(rows + first, rows + i, less);
      for (std::size_t j = first + 1; j < i; ++j) {
        if (!less(rows[j - 1], rows[j])) continue;
        add_starts((begin + j) / 64, 1ULL << ((begin + j) % 64));
        ++more;
      }
    }
    return more;
  }

  std::span<const double> values_;
  ThreadPool* pool_;
  std::size_t pieces_;
  std::size_t n_ = 0;  // without NaN
  SortKeys keys_;
  u32 low_bits_ = 0;  // of a key, by which buckets are sorted
  std::vector<std::size_t> bucket_end_;
  UninitializedVector<u64>& words_;
  UninitializedVector<u64>& other_;
  SortedRows out_;
};

}  // namespace

SortedRows sort_rows(std::span<const double> values, SortScratch& scratch,
                     ThreadPool* pool) {
  return Sorter(values, scratch, pool).run();
}

}  // namespace dpdtree
