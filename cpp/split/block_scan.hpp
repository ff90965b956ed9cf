// Boundaries of a column whose codes are places, a block at a time.
#pragma once

#include <bit>
#include <utility>

#include "split/boundaries.hpp"
#include "split/ordering.hpp"

namespace dpdtree {

// So many boundaries stay in the fastest cache until they are compared.
inline constexpr std::size_t kBlockOfBoundaries = 1024;
// A word of places may bring more than are left, and the last block one that is open.
inline constexpr std::size_t kRoomForBlock = kBlockOfBoundaries + 65;

// Fills a block with boundaries. The last of them is still open: it may have all rows
// on its left, or become the first of the next block. False at the end of the words.
template <class A, class Words>
bool scan_block(A& acc, const ColumnOrder& order, Words& words, u32& last,
                Boundaries& b) {
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
  std::size_t first = 0;
  u64 word = 0;
  bool more = true;
  while (size < kBlockOfBoundaries && (more = rest.next(first, word)))
    for (; word != 0; word &= word - 1) {
      const std::size_t p = first + static_cast<unsigned>(std::countr_zero(word));
      const u32 entry = classes[p];
      const bool tied = (entry & ColumnOrder::kTied) != 0;
      const u32 here = tied ? start_of(order, p) : static_cast<u32>(p);
      size += here != code;
      code = here;
      local.add_class(entry & (ColumnOrder::kTied - 1u));
      local.emit(b, size - 1);
      b.code[size - 1] = here;
    }
  b.size = size;
  last = code;
  words = rest;
  acc = std::move(local);
  return more;
}

}  // namespace dpdtree
