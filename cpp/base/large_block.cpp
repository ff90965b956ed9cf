#include "base/large_block.hpp"

#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace dpdtree {

#ifdef __linux__

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

}  // namespace

void* allocate_large_block(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  // One huge page more than needed, so that the block can start with one.
  void* const found = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  auto* const start = static_cast<std::byte*>(found);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
  if (before > 0) munmap(start, before);
  std::byte* const block = start + before;
  munmap(block + size, kHugePage - before);
  // Small pages for the end if most of a huge one would be wasted. Only a wish.
  const std::size_t huge = (bytes + kHugePage / 2) / kHugePage * kHugePage;
  madvise(block, huge, MADV_HUGEPAGE);
  return block;
}

void free_large_block(void* place, std::size_t bytes) {
  munmap(place, whole_pages(bytes));
}

#else

void* allocate_large_block(std::size_t bytes) { return ::operator new(bytes); }

void free_large_block(void* place, std::size_t) { ::operator delete(place); }

#endif

}  // namespace dpdtree
