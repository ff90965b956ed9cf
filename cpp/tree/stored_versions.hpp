// What earlier versions stored.
#pragma once

#include "base/bytes.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

// A single tree of version 1 … 3: 1 has no categories, 1 and 2 have one output.
Tree read_early_tree(ByteReader& in, u64 version);

// A tree of a forest of version 1.
Tree read_early_boosted_tree(ByteReader& in, u32 n_features);

}  // namespace dpdtree
