// The inner loops over thirty-two lanes; each instruction set compiles them once, in
// its own file, and hands them over as a table of functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "simd/ranked_entries.hpp"

namespace dpdtree {

// How the groups of equal rank of an ordering are walked.
enum class Ties { none, some, many };

// Thirty-two numbers each: per code, per class, or once. All aligned to 32 bytes.
struct ClassLanes {
  const u16* code;  // per row
  const u8* masks;  // per code: 1 where a row of that code is in the lane's subset
  std::size_t n_classes;
  const std::int16_t* total;  // per class
  std::int16_t* rest;         // the same at first, then used up
  std::int16_t* best;         // in and out
  u8* bytes;                  // scratch, twice per class
};

// A row of a weighted class, and what the walk over such rows reads and writes: as
// ClassLanes, without alignment.
template <class Number>
struct WeightedRow {
  Number weight;
  u16 code, label;
};
template <class Number>
struct WeightLanes {
  const WeightedRow<Number>* rows;
  const Number* masks;
  std::size_t n_classes;
  const Number* total;
  Number* rest;
  Number* best;
};

struct StumpKernels {
  // Two classes: adds 1 or -1 per row, and tracks the largest and smallest running sum
  // at the ends of groups. Rows are entries as in RankedRows, looked up as
  // code[entry]; `table` has one aligned row of thirty-two bytes per code. `high`,
  // `low`: thirty-two numbers, in and out.
  void (*walk)(const u32* entries, std::size_t n, const u16* code, const u8* table,
               Ties ties, i32* high, i32* low);

  // Several classes: the largest sum, over all cuts, of the largest class before the
  // cut and the largest class behind it; row by row, or for long runs run by run.
  void (*majority_of_rows)(const u32* entries, std::size_t n, const u16* label,
                           const ClassLanes& lanes);
  void (*majority_of_runs)(const u32* entries, const Run* runs, std::size_t n_runs,
                           const ClassLanes& lanes);
  // The same of weights of which no sum takes rounding.
  void (*single_weights)(const u32* entries, const Run* runs, std::size_t n_runs,
                         const WeightLanes<float>& lanes);
  void (*double_weights)(const u32* entries, const Run* runs, std::size_t n_runs,
                         const WeightLanes<double>& lanes);
};

}  // namespace dpdtree
