// The rows of a node in the order of a feature, without comparing values.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "base/types.hpp"
#include "data/column.hpp"
#include "loss/targets.hpp"

namespace dpdtree {

// How what `Orderer` collects is to be read: plain rows, or (code << class_bits |
// class) keys that spare the scan two look-ups per row.
struct ScanKeys {
  bool in_use = false;
  u32 class_bits = 0;
};

// Makes keys of what is in `sorted` of every column where the targets are unweighted
// classes and code and class fit 32 bits. Where codes are positions, classes by
// position are enough: they take a quarter of the memory, and searches are as fast as
// they are read. Returns what was done, column by column.
std::vector<ScanKeys> make_scan_keys(std::vector<Column>& columns,
                                     const Targets& targets, ThreadPool& pool);

// Positions of a column, 64 at a time: next() gives the position of a word's first bit
// and the word, until it returns false. All positions there are, …
class AllWords {
 public:
  explicit AllWords(std::size_t n) : n_(n) {}
  bool next(std::size_t& first, u64& word) {
    if (position_ >= n_) return false;
    first = position_;
    word = n_ - position_ >= 64 ? ~0ULL : (1ULL << (n_ - position_)) - 1;
    position_ += 64;
    return true;
  }

 private:
  std::size_t n_;
  std::size_t position_ = 0;
};

// … those of the bits that are set, which are cleared, …
class DenseWords {
 public:
  DenseWords(u64* bits, std::size_t n_words) : bits_(bits), n_words_(n_words) {}
  bool next(std::size_t& first, u64& word) {
    if (at_ == n_words_) return false;
    word = bits_[at_];
    bits_[at_] = 0;
    first = 64 * at_++;
    return true;
  }

 private:
  u64* bits_;
  std::size_t n_words_;
  std::size_t at_ = 0;
};

// … and the same where a second level of bits marks the words that are not zero.
class SparseWords {
 public:
  SparseWords(u64* bits, u64* marks, std::size_t n_marks)
      : bits_(bits), marks_(marks), n_marks_(n_marks) {}
  bool next(std::size_t& first, u64& word) {
    while (mark_ == 0) {
      if (at_ == n_marks_) return false;
      mark_ = marks_[at_];
      marks_[at_++] = 0;
    }
    const std::size_t w =
        64 * (at_ - 1) + static_cast<std::size_t>(std::countr_zero(mark_));
    mark_ &= mark_ - 1;
    word = bits_[w];
    bits_[w] = 0;
    first = 64 * w;
    return true;
  }

 private:
  u64* bits_;
  u64* marks_;
  std::size_t n_marks_;
  std::size_t at_ = 0;
  u64 mark_ = 0;
};

// The codes of positions that are asked for in ascending order, where codes are
// positions: that of the first row with the value. Looks back as far as the last one
// only.
class StartFinder {
 public:
  // `code`: that of the position before, or ~0 if there is none.
  StartFinder(const ColumnOrder& order, u32 code)
      : starts_(order.starts.data()), code_(code), last_(code == ~0u ? 0 : code) {}

  u32 code_at(std::size_t position, bool tied) {
    if (!tied) code_ = static_cast<u32>(position);
    if (tied) look_back(position);
    last_ = position;
    return code_;
  }

 private:
  void look_back(std::size_t position) {
    std::size_t w = position / 64;
    u64 word = starts_[w] & (~0ULL >> (63 - position % 64));
    while (word == 0) {
      if (64 * w <= last_) return;  // the same value as before
      word = starts_[--w];
    }
    code_ =
        static_cast<u32>(64 * w + 63 - static_cast<unsigned>(std::countl_zero(word)));
  }

  const u64* starts_;
  u32 code_;
  std::size_t last_;
};

// The first position from `position` on whose value is not that of the one before.
// There is one behind the last position.
inline std::size_t next_start(const ColumnOrder& order, std::size_t position) {
  std::size_t w = position / 64;
  u64 word = order.starts[w] & (~0ULL << (position % 64));
  while (word == 0) word = order.starts[++w];
  return 64 * w + static_cast<unsigned>(std::countr_zero(word));
}

class Orderer {
 public:
  // The node's rows in order, or their keys.
  std::span<const u32> collect(const Column& column, std::span<const Row> rows,
                               const ScanKeys& keys);

  // Calls f with the words of the positions of the node's rows, which it must read to
  // the end. One bit is set per row: O(n + N/64), or O(n + N/4096) for small nodes.
  template <class F>
  decltype(auto) visit_words(const Column& column, std::span<const Row> rows, F&& f) {
    const std::size_t n_all = column.order.sorted.size();
    if (rows.size() == n_all) return f(AllWords(n_all));
    const std::size_t n_words = (n_all + 63) / 64;
    if (bits_.size() < n_words) {
      bits_.resize(n_words, 0);
      marks_.resize((n_words + 63) / 64, 0);
    }
    const bool small = rows.size() < n_all / 32;
    mark(column, rows, small);
    if (small) return f(SparseWords(bits_.data(), marks_.data(), (n_words + 63) / 64));
    return f(DenseWords(bits_.data(), n_words));
  }

 private:
  void mark(const Column& column, std::span<const Row> rows, bool with_marks);
  template <class Code, class PositionOf>
  void mark_few(const Code* position, std::span<const Row> rows,
                PositionOf position_of);
  template <class Code>
  void mark_plain(const Code* position, std::span<const Row> rows);
  template <class Code>
  void mark_tied(const Code* position, std::span<const Row> rows,
                 const ColumnOrder::Tie* tie);

  std::vector<u64> bits_;   // all zero between calls
  std::vector<u64> marks_;  // one bit per word of bits_, all zero between calls
  std::vector<u32> out_;
};

}  // namespace dpdtree
