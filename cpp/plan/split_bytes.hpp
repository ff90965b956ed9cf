// A settled split to bytes and back, for requests.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "data/column.hpp"
#include "node/split.hpp"

namespace dpdtree {

void write_split(ByteWriter& out, const Split& split,
                 const std::vector<Column>& columns);
Split read_split(ByteReader& in, const std::vector<Column>& columns);

}  // namespace dpdtree
