// What a scan of one feature leaves behind: for every place between two present codes
// the statistics of the rows to its left, as parallel arrays that vectorise.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace dpdtree {

struct LeftSums {
  std::vector<u32> code;         // last code on the left
  std::vector<i32> n;            // rows on the left
  std::vector<i32> count;        // unweighted two classes: rows of class 1 on the left
  std::vector<double> w;         // weight on the left
  std::vector<double> a;         // a sum over the left side …
  std::vector<double> b;         // … and over the right side, as the criterion defines
  std::vector<double> majority;  // weight of the largest class on the left
  std::size_t size = 0;

  // Exact counts of two classes need the integer arrays only.
  void reserve(std::size_t n_places, bool integers_only) {
    grow(code, n_places);
    grow(n, n_places);
    if (integers_only) return grow(count, n_places);
    for (auto* v : {&w, &a, &b, &majority}) grow(*v, n_places);
  }

 private:
  template <class T>
  static void grow(std::vector<T>& v, std::size_t size) {
    if (v.size() < size) v.resize(size);
  }
};

}  // namespace dpdtree
