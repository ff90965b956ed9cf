#include "split/feature_search_impl.hpp"
#include "split/impurity_accumulator.hpp"
#include "split/loss_accumulators.hpp"
#include "split/pinball_accumulator.hpp"

namespace dpdtree {

FeatureSearchPtr make_general_search(const SearchInput& in) {
  return make_search<ImpurityAccumulator>(in);
}

FeatureSearchPtr make_pinball_search(const SearchInput& in) {
  return make_search<PinballAccumulator>(in);
}

FeatureSearchPtr make_fixed_sides_search(const SearchInput& in) {
  return make_search<FixedSides>(in);
}

}  // namespace dpdtree
