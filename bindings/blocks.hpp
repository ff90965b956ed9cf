// What the bindings of blocks of rows share with those of fits.
#pragma once

#include <memory>
#include <optional>

#include "arrays.hpp"
#include "base/uninitialized_vector.hpp"
#include "data/column.hpp"
#include "hist/binned_data.hpp"

namespace dpdtree::python {

// X for several fits that differ in their weights.
struct EncodedColumns {
  std::vector<Column> columns;
  AnyMatrix x;  // kept alive: the columns may read their values from it
};

// A boosted fit takes the codes over.
struct BoostingCodes {
  std::unique_ptr<Arena> memory;  // null: the heap
  boosting::BinnedData data;
};

// Bytes to write to: a mapped file, say.
using Scratch = nb::ndarray<u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<Arena> arena_of(const std::optional<Scratch>& scratch);

}  // namespace dpdtree::python
