// Rows that count alike: of the same class and the same weight.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "prove/ranked_rows.hpp"

namespace dpdtree {

struct RowGroups {
  struct Group {
    u32 label = 0;
    i32 times = 1;  // how often each of its rows counts
  };
  std::vector<Group> groups;  // class by class
  std::vector<u16> group_of;  // per row
  std::vector<double> unit;   // per class: the weight of one count
  bool weighted = false;

  double weight(std::span<const i32> counts) const {
    double sum = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) sum += counts[k] * unit[k];
    return sum;
  }
};

// Nothing if there are many different weights, or no unit they are multiples of.
std::optional<RowGroups> group_rows(const ExactData& data);

}  // namespace dpdtree
