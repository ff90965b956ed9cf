// From a choice of the search, a rank, to a split of the rows of a node, a threshold.
#pragma once

#include "node/split.hpp"
#include "plan/search_context.hpp"
#include "prove/ranked_rows.hpp"
#include "prove/solved.hpp"

namespace dpdtree {

struct ChoiceSplit {
  bool left = false, right = false;  // has that side any rows?
  Split split = {};                  // if both have
  // Missing alone on the left: the split is the mirror image, missing on the right.
  bool mirrored = false;
};

ChoiceSplit split_of(const ExactData& data, const std::vector<Column>& columns,
                     const NodeView& node, const ExactChoice& choice);

}  // namespace dpdtree
