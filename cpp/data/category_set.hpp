// A set of category codes, a bit each.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/types.hpp"

namespace dpdtree {

// `Words`: where the bits are, a vector or (for few codes, copied often) an array.
template <class Words>
class BasicCategorySet {
 public:
  BasicCategorySet() = default;
  explicit BasicCategorySet(u32 n_codes) : words_((n_codes + 63) / 64, 0) {}

  // Codes from here on have no bit.
  u32 capacity() const { return static_cast<u32>(64 * words_.size()); }
  void insert(u32 code) { words_[code / 64] |= 1ULL << (code % 64); }
  void erase(u32 code) { words_[code / 64] &= ~(1ULL << (code % 64)); }
  void assign(u32 code, bool in) { in ? insert(code) : erase(code); }
  bool contains(u32 code) const { return (words_[code / 64] >> (code % 64) & 1) != 0; }
  bool operator==(const BasicCategorySet&) const = default;
  auto operator<=>(const BasicCategorySet&) const = default;

 private:
  Words words_{};
};

using CategorySet = BasicCategorySet<std::vector<u64>>;
using ByteCategorySet = BasicCategorySet<std::array<u64, 4>>;  // of codes 0 … 255

// Immutable and shared: the copies of a split are many.
using SharedCategories = std::shared_ptr<const CategorySet>;

}  // namespace dpdtree
