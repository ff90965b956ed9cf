// Categories: from the caller's numbers to codes, and sets of codes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/column.hpp"

namespace dpdtree {

// Values 0, 1, … (all below the number of rows) are categories, NaN is missing; others
// raise InputError. Rows of weight 0 come last in the order of appearance.
Column encode_categories(std::span<const double> values, const double* weights);

// A set of codes of one column.
class CategorySet {
 public:
  explicit CategorySet(u32 n_codes) : words_((n_codes + 63) / 64, 0) {}

  void insert(u32 code) { words_[code / 64] |= 1ULL << (code % 64); }
  void erase(u32 code) { words_[code / 64] &= ~(1ULL << (code % 64)); }
  void assign(u32 code, bool in) { in ? insert(code) : erase(code); }
  bool contains(u32 code) const { return (words_[code / 64] >> (code % 64) & 1) != 0; }
  bool operator==(const CategorySet&) const = default;
  auto operator<=>(const CategorySet&) const = default;

 private:
  std::vector<u64> words_;
};

// Immutable and shared: the copies of a split are many.
using SharedCategories = std::shared_ptr<const CategorySet>;

}  // namespace dpdtree
