// Which node grows next: the open nodes of a tree that is grown best first, for CART
// and for leaf-wise boosting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

// `Payload` is what comes with an open node.
template <class Payload = std::monostate>
class Frontier {
 public:
  struct Open {
    double gain = 0;        // of its best split …
    u32 node = 0;           // nodes are numbered in the order in which they came
    bool is_bound = false;  // … or what no split of it can exceed
    [[no_unique_address]] Payload payload{};

    // Largest gain first; a bound before gains that it may still tie with; then the
    // node that came first.
    bool before(const Open& o) const {
      if (gain != o.gain) return gain > o.gain;
      if (is_bound != o.is_bound) return is_bound;
      return node < o.node;
    }
  };

  bool empty() const { return heap_.empty(); }

  void push(Open open) {
    heap_.push_back(std::move(open));
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  Open pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Open open = std::move(heap_.back());
    heap_.pop_back();
    return open;
  }

  // Up to n nodes that will probably be popped next, the best first: the wanted ones
  // among the first of the heap, which are all but sorted. Only their payload may be
  // changed.
  template <class Wanted>
  std::vector<Open*> next(std::size_t n, const Wanted& wanted) {
    std::vector<Open*> out;
    if (n == 0) return out;
    for (std::size_t i = 0; i < std::min(kSeenAhead, heap_.size()); ++i)
      if (wanted(heap_[i])) out.push_back(&heap_[i]);
    std::sort(out.begin(), out.end(), [](Open* a, Open* b) { return a->before(*b); });
    out.resize(std::min(n, out.size()));
    return out;
  }

  // In no order; only their payload may be changed.
  const std::vector<Open>& rest() const { return heap_; }
  std::vector<Open>& rest() { return heap_; }

 private:
  static constexpr std::size_t kSeenAhead = 7;  // three levels of the heap
  static bool later(const Open& a, const Open& b) { return b.before(a); }

  std::vector<Open> heap_;
};

}  // namespace dpdtree
