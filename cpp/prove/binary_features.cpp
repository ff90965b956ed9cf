#include "prove/binary_features.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "data/rows.hpp"

namespace dpdtree {
namespace {

// Bit j of word i becomes bit i of word j: blocks of half the size change places, then
// those within them.
void transpose(u64* a) {
  u64 mask = 0x00000000FFFFFFFFULL;
  for (u32 half = 32; half > 0; half /= 2, mask ^= mask << half) {
    for (u32 i = 0; i < 64; i = ((i | half) + 1) & ~half) {
      const u64 swapped = ((a[i] >> half) ^ a[i | half]) & mask;
      a[i] ^= swapped << half;
      a[i | half] ^= swapped;
    }
  }
}

}  // namespace

BinaryFeatures::BinaryFeatures(const ExactData& data, std::size_t most) {
  std::size_t n_cuts = 0;  // some may be repeated
  for (const u32 n : data.n_ranks) n_cuts += n - 2;
  if (n_cuts > 2 * most) return;
  ask(data, most);
  if (!questions_.empty()) answer(data);
}

// A question is told from others by the set of rows that answer as the first row does.
void BinaryFeatures::ask(const ExactData& data, std::size_t most) {
  std::set<std::pair<u64, u64>> asked;
  const RowHasher hash;
  std::vector<Hash128> of_row;
  Hash128 all;
  for (Row i = 0; i < data.rank[0].size(); ++i) {
    of_row.push_back(hash({&i, 1}));
    all += of_row.back();
  }
  for (u32 o = 0; o < data.orderings.size(); ++o) {
    const std::vector<u32>& rank = data.rank[o];
    std::vector<Hash128> of_rank(data.n_ranks[o]);
    std::vector<u8> present(data.n_ranks[o], 0);
    Hash128 below;
    for (Row i = 0; i < rank.size(); ++i) {
      of_rank[rank[i]] += of_row[i];
      present[rank[i]] = 1;
    }
    for (u32 r = 0; r < data.n_ranks[o]; ++r) {
      if (present[r] == 0) continue;
      below += of_rank[r];
      if (below == all) break;
      const Hash128 alike = rank[0] <= r ? below : all - below;
      if (!asked.insert({alike.lo, alike.hi}).second) continue;
      questions_.push_back({o, r});
      if (questions_.size() <= most) continue;
      questions_.clear();
      return;
    }
  }
}

void BinaryFeatures::answer(const ExactData& data) {
  n_words_ = words_of(questions_.size());
  const std::size_t n = data.rank[0].size();
  answers_.assign(n * n_words_, 0);
  for (std::size_t q = 0; q < questions_.size(); ++q) {
    const std::vector<u32>& rank = data.rank[questions_[q].ordering];
    for (std::size_t i = 0; i < n; ++i)
      answers_[i * n_words_ + q / 64] |= u64{rank[i] <= questions_[q].rank} << (q % 64);
  }
}

void BinaryFeatures::add_where_yes(u32 row, double value,
                                   std::vector<double>& out) const {
  for (std::size_t w = 0; w < n_words_; ++w)
    for (u64 left = answers_[row * n_words_ + w]; left != 0; left &= left - 1)
      out[64 * w + static_cast<std::size_t>(std::countr_zero(left))] += value;
}

void BinaryFeatures::columns(std::span<const u32> rows, u64* out) const {
  for (std::size_t first = 0; first < rows.size(); first += 64) {
    const std::size_t n = std::min<std::size_t>(64, rows.size() - first);
    for (std::size_t w = 0; w < n_words_; ++w) {
      u64* block = out + (first / 64) * stride() + 64 * w;
      for (std::size_t i = 0; i < n; ++i)
        block[i] = answers_[rows[first + i] * n_words_ + w];
      std::fill(block + n, block + 64, 0);
      transpose(block);
    }
  }
}

}  // namespace dpdtree
