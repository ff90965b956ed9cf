// A vector whose new elements hold anything: for buffers that are written in full right
// away, in pieces. Memory is given out when it is touched first, which takes as long as
// the writing, so that this is left to the threads that write.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

// Memory that somebody else owns (a mapped file, say), given out once, from the front.
class Arena {
 public:
  Arena(std::byte* begin, std::size_t size) : next_(begin), left_(size) {}

  void* take(std::size_t bytes) {
    const std::size_t whole = (bytes + 63) / 64 * 64;
    if (whole > left_) throw std::bad_alloc();
    left_ -= whole;
    return std::exchange(next_, next_ + whole);
  }

 private:
  std::byte* next_;
  std::size_t left_;
};

// From the heap, or from an arena that outlives all vectors in it.
template <class T>
class RawAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  RawAllocator() = default;
  explicit RawAllocator(Arena* arena) : arena_(arena) {}
  template <class U>
  explicit(false) RawAllocator(const RawAllocator<U>& other) : arena_(other.arena()) {}

  T* allocate(std::size_t n) {
    if (arena_ == nullptr) return std::allocator<T>().allocate(n);
    return static_cast<T*>(arena_->take(n * sizeof(T)));
  }
  void deallocate(T* place, std::size_t n) {
    if (arena_ == nullptr) std::allocator<T>().deallocate(place, n);
  }
  // Copies live on the heap.
  RawAllocator select_on_container_copy_construction() const { return {}; }

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  Arena* arena() const { return arena_; }
  friend bool operator==(const RawAllocator& a, const RawAllocator& b) {
    return a.arena_ == b.arena_;
  }

 private:
  Arena* arena_ = nullptr;
};

template <class T>
using UninitializedVector = std::vector<T, RawAllocator<T>>;

using RowBuffer = UninitializedVector<Row>;

}  // namespace dpdtree
