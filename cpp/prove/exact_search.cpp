#include "prove/exact_search.hpp"

#include <limits>

#include "prove/interval_search.hpp"
#include "prove/pair_search.hpp"

namespace dpdtree {

double ExactParams::row_cost(u32 levels) const {
  if (cost.loss != Criterion::zero_one) return std::numeric_limits<double>::infinity();
  return 1 + row_cost_per_level * levels;
}

std::unique_ptr<ExactSearch> make_exact_search(const ExactData& data,
                                               const ExactParams& params, u32 levels,
                                               u64 leaves, StopToken& stop) {
  if (params.use_pair_search && levels >= 2 && leaves >= Cost::max_leaves(levels)) {
    auto search = PairSearch::make_if_suited(data, params, stop);
    if (search != nullptr) return search;
  }
  return std::make_unique<IntervalSearch>(data, params, stop);
}

}  // namespace dpdtree
