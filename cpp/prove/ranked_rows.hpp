// The training rows as the exact solver sees them: for every ordering of a feature
// (missing values last, and once more first where there are any) the rows by rank.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "data/column.hpp"
#include "loss/targets.hpp"
#include "simd/ranked_entries.hpp"

namespace dpdtree {

struct Ordering {
  u32 feature = 0;
  bool missing_first = false;
};

// A subset of the rows, sorted by every ordering, rows of equal rank by class. Entries
// are positions in the list of training rows, with kGroupEnd where the rank changes
// after them.
struct RankedRows {
  u32 n = 0;
  double weight = 0;
  std::vector<std::vector<u32>> order;
  std::vector<u32> n_groups;           // of equal ranks, per ordering
  std::vector<std::vector<Run>> runs;  // per ordering; of three and more classes only
};

// What does not change during a search.
struct ExactData {
  std::vector<Ordering> orderings;
  std::vector<std::vector<u32>> rank;  // per ordering and row
  std::vector<u32> n_ranks;            // ranks are below that
  u32 n_classes = 0;
  std::vector<u16> label;
  std::vector<double> y;
  std::vector<double> weight;  // empty: 1 each
  double whole_unit = 0;       // all weights are multiples of it; 0: of nothing
  bool exact_weights = true;   // no sum of them takes rounding
  std::vector<double> costs;   // of answers (see answer_costs.hpp); empty: 0-1 loss

  double weight_of(u32 i) const { return weight.empty() ? 1.0 : weight[i]; }
};

// The rank of a code; 0 is kept for missing values that come first.
inline u32 rank_of(const Ordering& ordering, const Column& column, u32 code) {
  return ordering.missing_first && code == column.missing_code() ? 0 : code + 1;
}

// Orderings of these features only, in their order.
ExactData make_exact_data(const std::vector<Column>& columns, const Targets& targets,
                          std::span<const Row> rows, const std::vector<u32>& features);
RankedRows rank_rows(const ExactData& data);  // all of them

// The rows with side[i] == 0 and those with 1; `side` is indexed by position. A null
// side is not wanted.
void divide_rows(const ExactData& data, const RankedRows& all,
                 const std::vector<u8>& side, RankedRows* left, RankedRows* right);

}  // namespace dpdtree
