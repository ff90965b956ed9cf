// A vector whose new elements hold anything: for buffers that are written in full right
// away, in pieces. Memory is given out when it is touched first, which takes as long as
// the writing, so that this is left to the threads that write.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

template <class T>
struct RawAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  RawAllocator() = default;
  template <class U>
  explicit(false) RawAllocator(const RawAllocator<U>&) {}

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using UninitializedVector = std::vector<T, RawAllocator<T>>;

using RowBuffer = UninitializedVector<Row>;

}  // namespace dpdtree
