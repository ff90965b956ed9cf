#include "split/accumulators.hpp"
#include "split/feature_search_impl.hpp"
#include "split/gini_counts.hpp"

namespace dpdtree {

FeatureSearchPtr make_gini_search(const SearchInput& in) {
  if (in.targets.n_classes == 2)
    return in.targets.weighted() ? make_search<PrefixAccumulator<true, true>>(in)
                                 : make_search<PrefixAccumulator<false, true>>(in);
  return in.targets.weighted() ? make_search<GiniAccumulator>(in)
                               : make_search<GiniCounts>(in);
}

}  // namespace dpdtree
