// Least-significant-digit radix sort on 32-bit keys: exact if all values are single
// precision numbers, else the top 32 bits of the spread of the 64-bit keys, and then a
// repair of the few runs that differ only below. Three passes whatever the values.
#include "data/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace dpdtree {
namespace {

constexpr u32 kDigitBits = 11;
constexpr u32 kBuckets = 1u << kDigitBits;
using Histogram = std::array<u32, kBuckets>;

// Integers that order like the numbers.
u64 order_key(double value) {
  const u64 bits = std::bit_cast<u64>(value + 0.0);  // -0.0 → 0.0
  const u64 sign = 1ULL << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
u32 short_key(double value) {
  const u32 bits = std::bit_cast<u32>(static_cast<float>(value) + 0.0f);
  const u32 sign = 1u << 31;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

struct Spread {
  u64 min = ~0ULL;
  u64 max = 0;
  bool single = true;  // every value is a single precision number
  std::size_t count = 0;

  void add(double v) {
    const u64 key = order_key(v);
    min = std::min(min, key);
    max = std::max(max, key);
    single &= static_cast<double>(static_cast<float>(v)) == v;
    ++count;
  }
  void add(const Spread& o) {
    min = std::min(min, o.min);
    max = std::max(max, o.max);
    single &= o.single;
    count += o.count;
  }
};

class Sorter {
 public:
  Sorter(std::span<const double> values, SortScratch& scratch, ThreadPool* pool)
      : values_(values),
        pool_(pool),
        pieces_(n_pieces(pool, values.size())),
        words_(scratch.words),
        other_(scratch.other) {}

  SortedRows run() {
    measure();
    make_words();
    for (u32 done = 0; done < bits_; done += kDigitBits) radix_pass(32 + done);
    SortedRows out;
    out.rows.resize(words_.size());
    each_piece(words_.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i)
        out.rows[i] = static_cast<u32>(words_[i]);
    });
    if (shift_ > 0)
      each_piece(words_.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
        repair_runs(out.rows, begin, end);
      });
    mark_starts(out);
    return out;
  }

 private:
  template <class F>
  void each_piece(std::size_t n, const F& f) {
    for_pieces(pool_, n, pieces_, f);
  }

  void measure() {
    spread_of_.resize(pieces_);
    each_piece(values_.size(), [&](std::size_t begin, std::size_t end, std::size_t p) {
      Spread s;
      for (std::size_t i = begin; i < end; ++i)
        if (!std::isnan(values_[i])) s.add(values_[i]);
      spread_of_[p] = s;
    });
    for (const Spread& s : spread_of_) spread_.add(s);
    if (spread_.count == 0) return;
    const auto width = static_cast<u32>(std::bit_width(spread_.max - spread_.min));
    single_ = spread_.single && width > 32;
    bits_ = std::min(width, 32u);
    shift_ = single_ || width <= 32 ? 0 : width - 32;
  }

  // Key above row number.
  void make_words() {
    words_.resize(spread_.count);
    other_.resize(spread_.count);
    each_piece(values_.size(), [&](std::size_t begin, std::size_t end, std::size_t p) {
      u64* out = words_.data();
      for (std::size_t q = 0; q < p; ++q) out += spread_of_[q].count;
      for (std::size_t i = begin; i < end; ++i) {
        if (std::isnan(values_[i])) continue;
        const u64 key = single_ ? short_key(values_[i])
                                : (order_key(values_[i]) - spread_.min) >> shift_;
        *out++ = key << 32 | i;
      }
    });
  }

  void radix_pass(u32 shift) {
    std::vector<Histogram> start(pieces_);
    const auto digit = [shift](u64 word) { return word >> shift & (kBuckets - 1); };
    each_piece(words_.size(), [&](std::size_t begin, std::size_t end, std::size_t p) {
      start[p].fill(0);
      for (std::size_t i = begin; i < end; ++i) ++start[p][digit(words_[i])];
    });
    u32 sum = 0;
    for (u32 d = 0; d < kBuckets; ++d)
      for (Histogram& h : start) {
        const u32 count = h[d];
        h[d] = sum;
        sum += count;
      }
    each_piece(words_.size(), [&](std::size_t begin, std::size_t end, std::size_t p) {
      for (std::size_t i = begin; i < end; ++i)
        other_[start[p][digit(words_[i])]++] = words_[i];
    });
    words_.swap(other_);
  }

  bool same_key(std::size_t i, std::size_t j) const {
    return words_[i] >> 32 == words_[j] >> 32;
  }

  // Orders the runs of equal keys that start in [begin, end) by their values.
  void repair_runs(RawVector<u32>& rows, std::size_t begin, std::size_t end) const {
    const std::size_t n = rows.size();
    const auto less = [&](u32 a, u32 b) { return values_[a] < values_[b]; };
    while (begin > 0 && begin < end && same_key(begin, begin - 1)) ++begin;
    while (begin < end) {
      std::size_t stop = begin + 1;
      bool sorted = true;
      for (; stop < n && same_key(stop, begin); ++stop)
        sorted &= !less(rows[stop], rows[stop - 1]);
      const auto at = [&](std::size_t i) {
        return rows.begin() + static_cast<std::ptrdiff_t>(i);
      };
      if (!sorted) std::stable_sort(at(begin), at(stop), less);
      begin = stop;
    }
  }

  void mark_starts(SortedRows& out) {
    const std::size_t n = out.rows.size();
    out.starts.assign(n / 64 + 1, 0);
    std::vector<std::size_t> distinct(pieces_, 0);
    each_piece(out.starts.size(),
               [&](std::size_t begin, std::size_t end, std::size_t p) {
                 for (std::size_t w = begin; w < end; ++w) {
                   u64 word = 0;
                   for (std::size_t i = 64 * w; i < std::min(64 * w + 64, n); ++i)
                     word |= u64{starts_value(out.rows, i)} << (i % 64);
                   out.starts[w] = word;
                   distinct[p] += static_cast<std::size_t>(std::popcount(word));
                 }
               });
    out.starts[n / 64] |= 1ULL << (n % 64);
    for (const std::size_t d : distinct) out.n_distinct += d;
  }

  bool starts_value(const RawVector<u32>& rows, std::size_t i) const {
    if (i == 0 || !same_key(i, i - 1)) return true;
    return shift_ > 0 && values_[rows[i]] != values_[rows[i - 1]];
  }

  std::span<const double> values_;
  ThreadPool* pool_;
  std::size_t pieces_;
  std::vector<Spread> spread_of_;
  Spread spread_;
  bool single_ = false;
  u32 bits_ = 0;
  u32 shift_ = 0;
  RawVector<u64>& words_;
  RawVector<u64>& other_;
};

}  // namespace

SortedRows sort_rows(std::span<const double> values, SortScratch& scratch,
                     ThreadPool* pool) {
  return Sorter(values, scratch, pool).run();
}

}  // namespace dpdtree
