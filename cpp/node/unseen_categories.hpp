// Categories that a split has not seen.
#pragma once

#include <span>
#include <vector>

#include "node/partition.hpp"

namespace dpdtree {

// A split found on the rows of a node says nothing about categories that occur only
// elsewhere. Sends each of those among `others` to the side whose targets are more like
// its own (both compared with the averages of where they come from); the heavier side
// if nothing is known. `missing` must be settled, or no row of the node be missing.
void place_absent(const Problem& problem, std::span<const Row> node,
                  std::span<const Row> others, Split& split);

// What that takes: statistics of the node's two sides, which codes it has, and the
// statistics of all codes among the others and of these altogether.
struct SeenCategories {
  std::vector<double> left, right;
  std::vector<char> present;
  std::vector<double> sums;  // by code
  std::vector<double> all;

  SeenCategories(const Column& column, const Targets& targets);
  bool all_present() const;
};
void place_absent(const Column& column, const Targets& targets,
                  const SeenCategories& seen, Split& split);

}  // namespace dpdtree
