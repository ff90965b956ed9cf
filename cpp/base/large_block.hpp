// Memory of several megabytes, in huge pages where the system has them: it is given out
// in fewer steps, and what is read or written here and there finds its page at once.
#pragma once

#include <cstddef>
#include <limits>

namespace dpdtree {

// Larger ones than there can be are left to the usual allocator, which says so.
constexpr bool is_large_block(std::size_t n, std::size_t size) {
  constexpr std::size_t kLeast = std::size_t{3} << 20;
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 4;
  return n >= kLeast / size && n <= kMost / size;
}

void* allocate_large_block(std::size_t bytes);  // throws std::bad_alloc
void free_large_block(void* place, std::size_t bytes);

}  // namespace dpdtree
