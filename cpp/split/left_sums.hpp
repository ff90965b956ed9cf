// What a scan of one feature leaves behind: for every boundary between two present
// codes the statistics of the rows to its left, as parallel arrays that vectorise.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace dpdtree {

struct LeftSums {
  std::vector<u32> code;         // last code on the left
  std::vector<i32> n;            // rows on the left
  std::vector<i32> count;        // unweighted classes: rows of class 1 of two on the
                                 // left, or what the majorities of both sides get right
  std::vector<double> w;         // weight on the left
  std::vector<double> a;         // a sum over the left side …
  std::vector<double> b;         // … and over the right side, as the criterion defines
  std::vector<double> majority;  // weight of the largest class on the left
  std::size_t size = 0;

  // What a criterion writes.
  enum class Parts : u8 { counts, counts_and_sums, weights_and_sums };

  void reserve(std::size_t n_boundaries, Parts parts) {
    grow(code, n_boundaries);
    grow(n, n_boundaries);
    if (parts != Parts::weights_and_sums) grow(count, n_boundaries);
    if (parts == Parts::counts) return;
    for (auto* v : {&a, &b}) grow(*v, n_boundaries);
    if (parts == Parts::counts_and_sums) return;
    for (auto* v : {&w, &majority}) grow(*v, n_boundaries);
  }

 private:
  template <class T>
  static void grow(std::vector<T>& v, std::size_t size) {
    if (v.size() < size) v.resize(size);
  }
};

}  // namespace dpdtree
