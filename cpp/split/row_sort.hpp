// The rows of a small node by ascending code, sorted directly.
#pragma once

#include <span>

#include "split/finder.hpp"

namespace dpdtree {

// code << bits | class of each row. Both return scratch memory.
std::span<const u32> sort_keys(const Column& column, const Targets& targets,
                               std::span<const Row> rows, u32 bits, SplitScratch& s);

std::span<const u32> sort_rows(const Column& column, std::span<const Row> rows,
                               SplitScratch& s);

}  // namespace dpdtree
