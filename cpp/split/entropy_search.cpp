#include "split/accumulators.hpp"
#include "split/feature_search_impl.hpp"

namespace dpdtree {

FeatureSearchPtr make_entropy_search(const SearchInput& in) {
  return in.targets.weighted() ? make_search<EntropyAccumulator<true>>(in)
                               : make_search<EntropyAccumulator<false>>(in);
}

}  // namespace dpdtree
