#include "prove/exact_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "prove/interval_search.hpp"
#include "prove/pair_search.hpp"

namespace dpdtree {

double ExactParams::row_cost(u32 levels) const {
  if (cost.loss != Criterion::zero_one && cost.loss != Criterion::cost_matrix)
    return std::numeric_limits<double>::infinity();
  return largest_cost + row_cost_per_level * levels;
}

double ExactParams::price_of_levels(u64 levels) const {
  if (cost.complexity != Complexity::n_leaves) return 0;
  return static_cast<double>(levels) * cost.penalty(0);
}

u64 ExactParams::levels_below(double value) const {
  const double price = price_of_levels(1);
  const double levels = price > 0 ? std::ceil((value - tolerance) / price) - 1 : 1e9;
  return levels < 1e9 ? static_cast<u64>(std::max(levels, 0.0)) : ~0ULL;
}

std::unique_ptr<ExactSearch> make_exact_search(const ExactData& data,
                                               const ExactParams& params, u32 levels,
                                               u64 leaves, StopToken& stop,
                                               ThreadPool* pool) {
  if (params.use_pair_search && levels >= 2 && leaves >= 2) {
    auto search = PairSearch::make_if_suited(data, params, levels, stop);
    if (search != nullptr) return search;
  }
  return std::make_unique<IntervalSearch>(data, params, stop, pool);
}

}  // namespace dpdtree
