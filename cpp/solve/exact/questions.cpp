#include "solve/exact/questions.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

// What tells questions apart: the set of rows that give the answer of the first row,
// as two sums of pseudo-random numbers.
using Signature = std::pair<u64, u64>;

u64 scrambled(u64 x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

void add_row(Signature& s, u64 row) {
  s.first += scrambled(2 * row);
  s.second += scrambled(2 * row + 1);
}

}  // namespace

Questions::Questions(const ExactData& data, std::size_t most) {
  std::size_t n_cuts = 0;  // some may be repeated
  for (const u32 n : data.n_ranks) n_cuts += n - 2;
  if (n_cuts > 2 * most) return;
  ask(data, most);
  if (!questions_.empty()) answer(data);
}

void Questions::ask(const ExactData& data, std::size_t most) {
  std::set<Signature> asked;
  for (u32 o = 0; o < data.orderings.size(); ++o) {
    const std::vector<u32>& rank = data.rank[o];
    std::vector<Signature> of_rank(data.n_ranks[o]);
    std::vector<u8> present(data.n_ranks[o], 0);
    Signature all;
    for (u32 i = 0; i < rank.size(); ++i) {
      add_row(of_rank[rank[i]], i);
      add_row(all, i);
      present[rank[i]] = 1;
    }
    Signature below;
    for (u32 r = 0; r < data.n_ranks[o]; ++r) {
      if (present[r] == 0) continue;
      below.first += of_rank[r].first;
      below.second += of_rank[r].second;
      if (below == all) break;
      const Signature beyond{all.first - below.first, all.second - below.second};
      if (!asked.insert(rank[0] <= r ? below : beyond).second) continue;
      questions_.push_back({o, r});
      if (questions_.size() <= most) continue;
      questions_.clear();
      return;
    }
  }
}

void Questions::answer(const ExactData& data) {
  n_words_ = words_of(questions_.size());
  const std::size_t n = data.rank[0].size();
  answers_.assign(n * n_words_, 0);
  for (std::size_t q = 0; q < questions_.size(); ++q) {
    const std::vector<u32>& rank = data.rank[questions_[q].ordering];
    for (std::size_t i = 0; i < n; ++i)
      answers_[i * n_words_ + q / 64] |= u64{rank[i] <= questions_[q].rank} << (q % 64);
  }
}

void Questions::columns(std::span<const u32> rows, u64* out) const {
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
