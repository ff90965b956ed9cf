#include "split/accumulators.hpp"
#include "split/feature_search_impl.hpp"

namespace dpdtree {

FeatureSearchPtr make_variance_search(const SearchInput& in) {
  return in.targets.weighted() ? make_search<PrefixAccumulator<true, false>>(in)
                               : make_search<PrefixAccumulator<false, false>>(in);
}

}  // namespace dpdtree
