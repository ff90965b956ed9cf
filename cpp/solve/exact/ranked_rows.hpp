// The training rows as the exact solver sees them: for every ordering of a feature
// (missing values last, and once more first where there are any) the rows by rank.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/column.hpp"
#include "objective/targets.hpp"

namespace dpdtree {

inline constexpr u32 kGroupEnd = 1u << 31;  // on the last row of a group of equal rank
inline constexpr u32 kRowMask = kGroupEnd - 1;

struct Ordering {
  u32 feature = 0;
  bool missing_first = false;
};

// A subset of the rows, sorted by every ordering. Entries are positions in the list of
// training rows, with kGroupEnd where the rank changes after them.
struct RankedRows {
  u32 n = 0;
  double weight = 0;
  std::vector<std::vector<u32>> order;
  std::vector<u32> n_groups;  // of equal ranks, per ordering
};

// What does not change during a search.
struct ExactData {
  std::vector<Ordering> orderings;
  u32 n_classes = 0;
  std::vector<u16> label;
  std::vector<double> y;
  std::vector<double> weight;  // empty: 1 each

  double weight_of(u32 i) const { return weight.empty() ? 1.0 : weight[i]; }
};

ExactData make_exact_data(const std::vector<Column>& columns, const Targets& targets,
                          std::span<const Row> rows);
RankedRows rank_rows(const std::vector<Column>& columns, const ExactData& data,
                     std::span<const Row> rows);

// The rows with side[i] == wanted; `side` is indexed by position.
void filter_rows(const ExactData& data, const RankedRows& all,
                 const std::vector<u8>& side, u8 wanted, RankedRows& out);

}  // namespace dpdtree
