// LeftSums of a column whose codes are positions, a block at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "split/accumulator_traits.hpp"
#include "split/feasible.hpp"
#include "split/left_sums.hpp"
#include "split/ordering.hpp"
#include "split/score.hpp"

namespace dpdtree {

// So many boundaries stay in the fastest cache until they are compared.
inline constexpr std::size_t kBlockOfBoundaries = 1024;
// A word of positions may bring more than are left, and the last block one that is
// open.
inline constexpr std::size_t kRoomForBlock = kBlockOfBoundaries + 65;

// Fills a block with boundaries. The last of them is still open: it may have all rows
// on its left, or become the first of the next block. False at the end of the words.
template <class A, class Words>
bool scan_block(A& acc, const ColumnOrder& order, Words& words, u32& last,
                LeftSums& b) {
  A local = std::move(acc);  // stays in registers
  Words rest = words;
  std::size_t size = 0;
  u32 code = last;
  if (code != ~0u) {
    local.emit(b, 0);
    b.code[0] = code;
    size = 1;
  }
  const u8* classes = order.classes.data();
  StartFinder codes(order, code);
  std::size_t first = 0;
  u64 word = 0;
  bool more = true;
  while (size < kBlockOfBoundaries) {
    more = rest.next(first, word);
    if (!more) break;
    for (; word != 0; word &= word - 1) {
      const std::size_t p = first + static_cast<unsigned>(std::countr_zero(word));
      const u32 entry = classes[p];
      const u32 here = codes.code_at(p, (entry & ColumnOrder::kTied) != 0);
      size += here != code;
      code = here;
      local.add_class(entry & (ColumnOrder::kTied - 1u));
      local.emit(b, size - 1);
      b.code[size - 1] = here;
    }
  }
  b.size = size;
  last = code;
  words = rest;
  acc = std::move(local);
  return more;
}

// The best of all boundaries so far.
struct BlockBest {
  double score;  // to begin with, what it must exceed
  bool found = false;
  u32 left = 0, right = 0;  // the codes beside it
  double most_correct = 0;  // of any boundary, if asked for
  std::size_t n_boundaries = 0;
  double tie = 0;  // between equal scores, where the criterion has one
};

// Takes the best of some more boundaries, all behind those before.
inline void take(const BestBoundary& at, const LeftSums& b, BlockBest& best) {
  if (at.boundary == BestBoundary::kNone) return;
  if (best.found && at.score == best.score && at.tie <= best.tie) return;
  best.found = true;
  best.score = at.score;
  best.tie = at.tie;
  best.left = b.code[at.boundary];
  best.right = b.code[at.boundary + 1];
}

// Compares all boundaries of the words but the last, which is open. None is kept longer
// than that takes. `error_bound`: only where prefixes tell the majorities.
template <class A, class Words>
void compare_blocks(A& acc, const ColumnOrder& order, Words words, const NodeView& node,
                    const SplitLimits& limits, bool error_bound, LeftSums& b,
                    BlockBest& best) {
  b.reserve(kRoomForBlock, parts_written<A>());
  u32 last = ~0u;
  for (bool more = true; more; best.n_boundaries += b.size - 1) {
    more = scan_block(acc, order, words, last, b);
    const auto [lo, hi] = feasible(b, 0, b.size - 1, writes_weights<A>(), node, limits);
    take(acc.best(b, lo, hi, best.score), b, best);
    if constexpr (A::kMajorityFromPrefix) {
      if (error_bound)
        best.most_correct = std::max(best.most_correct, acc.most_correct(b, lo, hi));
    }
  }
}

}  // namespace dpdtree
